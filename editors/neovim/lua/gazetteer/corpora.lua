--- `:Gazetteer corpus`: the trees that are registered under a name. The server does all of it; here it is shown.

local client = require('gazetteer.client')

local M = {}

local PATIENCE = 500 -- milliseconds that completion waits for the names

---@param text any
---@return string
local function plain(text)
  return client.plain(text)
end

---@param name string
---@param params table
---@param use fun(result: table)
local function request(name, params, use)
  client.request(vim.api.nvim_get_current_buf(), 'gazetteer/corpus.' .. name, params, use, { anywhere = true })
end

--- Rows of words as aligned lines.
---@param rows string[][]
---@return string[]
local function aligned(rows)
  local widths = {}
  for _, row in ipairs(rows) do
    for column, word in ipairs(row) do
      widths[column] = math.max(widths[column] or 0, vim.api.nvim_strwidth(word))
    end
  end
  return vim.tbl_map(function(row)
    local line = ''
    for column, word in ipairs(row) do
      line = line .. word .. (' '):rep(widths[column] - vim.api.nvim_strwidth(word) + 2)
    end
    return (line:gsub('%s+$', ''))
  end, rows)
end

---@param lines string[]
---@param notices? string[]
local function noted(lines, notices)
  for _, notice in ipairs(notices or {}) do
    table.insert(lines, plain('note: ' .. notice))
  end
  return lines
end

--- What is registered, and how each index is.
function M.list()
  request('list', vim.empty_dict(), function(found)
    local rows = {}
    for _, row in ipairs(found.corpora) do
      local labels = {
        row.kind,
        row.shared and 'shared' or '',
        row.autoindex and 'autoindex' or '',
        row.indexer ~= 'generic' and row.indexer or '',
      }
      local standing = plain(table.concat(
        vim.tbl_filter(function(label)
          return label ~= ''
        end, labels),
        ', '
      ))
      local now = vim.list_contains({ 'indexing', 'error' }, row.state) and row.state or row.index
      local state = row.there and now or 'tree is gone'
      table.insert(rows, { plain(row.name), state, ('%d documents'):format(row.documents), standing, plain(row.root) })
    end
    local lines = aligned(rows)
    for _, broken in ipairs(found.broken) do
      table.insert(lines, plain('broken: ' .. broken.reason))
    end
    if #lines == 0 then
      lines = { 'nothing is registered; `:Gazetteer corpus add NAME DIR` adds a tree' }
    end
    require('gazetteer.report').show('corpora', noted(lines, found.notices))
  end)
end

--- Register a folder, the tree of this buffer by default, under a name, one that is free by default.
---@param words string[]
function M.add(words)
  local name, folder = words[1], words[2]
  if not folder and name and name:find('[/~]') then
    name, folder = nil, name
  end
  folder = folder or require('gazetteer.root').for_question(vim.api.nvim_get_current_buf())
  if not folder then
    client.fail('this buffer is in no tree; name a folder, as in :Gazetteer corpus add NAME DIR.')
    return
  end
  request('add', { name = name, path = vim.fn.fnamemodify(vim.fn.expand(folder), ':p') }, function(added)
    client.say(('%s is registered as %s.'):format(plain(added.root), plain(added.name)))
    client.attach_new()
  end)
end

--- Let go of a name, and delete the index of its tree; the tree is not touched.
---@param words string[]
function M.rm(words)
  if not words[1] then
    client.fail('name the corpus to let go of, as in :Gazetteer corpus rm NAME.')
    return
  end
  request('rm', { name = words[1] }, function(removed)
    client.say(('%s is not registered any more.'):format(plain(removed.name)))
    for _, notice in ipairs(removed.notices or {}) do
      client.say(notice, vim.log.levels.WARN)
    end
  end)
end

--- The repositories below a folder, the working directory by default; nothing is registered.
---@param words string[]
function M.scan(words)
  local folder = vim.fn.fnamemodify(vim.fn.expand(words[1] or vim.fn.getcwd()), ':p')
  request('scan', { path = folder }, function(found)
    local rows = vim.tbl_map(function(one)
      local state = one.registered ~= '' and 'registered' or 'not registered'
      return { plain(one.name), ('%d files'):format(one.files), state, plain(one.root) }
    end, found.candidates)
    local lines = aligned(rows)
    if #lines == 0 then
      lines = { plain(('no repository with %d files or more below %s'):format(found.least, found.folder)) }
    end
    require('gazetteer.report').show('scan', noted(lines, found.notices))
  end)
end

--- Bring the indexes of the named corpora, or of all, up to their trees.
---@param words string[]
function M.index(words)
  request('index', { names = words }, function(done)
    local failed = {}
    for _, turn in ipairs(done.corpora) do
      if turn.error and turn.error ~= vim.NIL then
        table.insert(failed, plain(('%s: %s'):format(turn.corpus, turn.error.message)))
      end
    end
    if #failed == 0 then
      client.say(('%d corpora are up to date.'):format(#done.corpora))
    else
      client.fail(table.concat(failed, ' '))
    end
  end)
end

--- How the indexes of the named corpora, or of all, are, held against their whole trees.
---@param words string[]
function M.health(words)
  local params = { corpora = words[1] and words or 'all' }
  client.request(vim.api.nvim_get_current_buf(), 'gazetteer/health', params, function(told)
    local rows, said = {}, {}
    for _, turn in ipairs(told.corpora) do
      local found = type(turn.found) == 'table' and turn.found
      local counts = found and ('%d documents, %d chunks'):format(found.documents, found.chunks) or ''
      table.insert(rows, { plain(turn.corpus), found and found.state or 'error', counts, plain(turn.root) })
      local why = found and found.reason or (type(turn.error) == 'table' and turn.error.message) or ''
      if why ~= '' then
        table.insert(said, plain(('%s: %s'):format(turn.corpus, why)))
      end
    end
    require('gazetteer.report').show('health', noted(vim.list_extend(aligned(rows), said), told.notices))
  end, { anywhere = true })
end

---@type table<string, fun(words: string[])>
local ACTS = { list = M.list, add = M.add, rm = M.rm, scan = M.scan, index = M.index, health = M.health }

--- `:Gazetteer corpus WORD ...`; `list` without a word.
---@param words string
function M.run(words)
  local parts = vim.split(words, '%s+', { trimempty = true })
  local act = table.remove(parts, 1) or 'list'
  if not ACTS[act] then
    local there = table.concat(M.complete('', 'corpus '), ', ')
    client.fail(('there is no :Gazetteer corpus %s; there are %s.'):format(act, there))
    return
  end
  ACTS[act](parts)
end

--- Names that are registered; an answer that takes long is not waited for.
---@return string[]
function M.names()
  local of = client.all()[1]
  local answer = of and of.initialized and of:request_sync('gazetteer/corpus.list', vim.empty_dict(), PATIENCE)
  return vim.tbl_map(function(row)
    return row.name
  end, answer and answer.result and answer.result.corpora or {})
end

--- What may stand behind `:Gazetteer corpus`.
---@param lead string
---@param before string the command line from `corpus` on
---@return string[]
function M.complete(lead, before)
  local act = before:match('^corpus%s+(%S+)%s')
  local found = {}
  if not act then
    found = vim.tbl_keys(ACTS)
  elseif act == 'rm' or act == 'index' or act == 'health' then
    found = M.names()
  elseif act == 'scan' or (act == 'add' and before:match('^corpus%s+add%s+%S+%s')) then
    return vim.fn.getcompletion(lead, 'dir')
  end
  found = vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, found)
  table.sort(found)
  return found
end

return M
