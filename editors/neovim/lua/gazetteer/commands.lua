--- `:Gazetteer` as one table: what each word does and what it can be completed with.

local client = require('gazetteer.client')
local questions = require('gazetteer.questions')

local M = {}

---@class gazetteer.Call
---@field words string what stands behind the word
---@field bang boolean
---@field place gazetteer.Place

---@class gazetteer.Command
---@field help string
---@field run fun(call: gazetteer.Call)
---@field complete? fun(lead: string, before: string): string[] `before` is the command line from the word on

local function bufnr()
  return vim.api.nvim_get_current_buf()
end

--- A request about the tree of this buffer.
---@param name string
---@param use fun(result: table)
local function about_tree(name, use)
  client.with(bufnr(), function(of)
    local root = of.root_dir and vim.uri_from_fname(of.root_dir)
    client.request(bufnr(), 'gazetteer/' .. name, { root = root }, use, { client = of })
  end)
end

--- Words of the buffer that are long enough to be worth asking for, in order.
---@param lead string
---@return string[]
local function names(lead)
  local found, seen = {}, {}
  for _, line in ipairs(vim.api.nvim_buf_get_lines(bufnr(), 0, 5000, false)) do
    for word in line:gmatch('[%a_][%w_]+') do
      if #word > 2 and not seen[word] and vim.startswith(word, lead) then
        seen[word] = true
        table.insert(found, word)
      end
    end
  end
  table.sort(found)
  return vim.list_slice(found, 1, 200)
end

--- Filters that can be typed in a question, and names.
---@param lead string
---@return string[]
local function typed(lead)
  local path = lead:match('^path:(.*)$')
  if path then
    return vim.tbl_map(function(found)
      return 'path:' .. found
    end, vim.fn.getcompletion(path, 'file'))
  end
  local listed, corpus = lead:match('^(%l+:.-)([^,:]*)$')
  local by = listed and listed:match('^%l+')
  if by == 'corpus' or by == 'with' or by == 'without' then
    local there = vim.list_extend(by == 'corpus' and { 'all' } or {}, require('gazetteer.corpora').names())
    return vim
      .iter(there)
      :filter(function(name)
        return vim.startswith(name, corpus)
      end)
      :map(function(name)
        return listed .. name
      end)
      :totable()
  end
  local filters = vim.tbl_filter(function(filter)
    return lead ~= '' and vim.startswith(filter, lead)
  end, { 'corpus:', 'kind:', 'lang:', 'path:', 'type:', 'with:', 'without:' })
  return vim.list_extend(filters, names(lead))
end

local function open(uri, encoding)
  local start = { line = 0, character = 0 }
  vim.lsp.util.show_document({ uri = uri, range = { start = start, ['end'] = start } }, encoding, { focus = true })
end

--- Open the orientation map of this place, or offer to make one.
local function map()
  local from = bufnr()
  local file = require('gazetteer.root').file_of(from)
  client.with(from, function(of)
    local uri = file and vim.uri_from_fname(file) or (of.root_dir and vim.uri_from_fname(of.root_dir))
    client.request(from, 'gazetteer/map', { uri = uri }, function(found)
      if found.exists then
        open(found.uri, of.offset_encoding)
        return
      end
      vim.ui.select({ 'Create it', 'Leave it' }, {
        prompt = ('There is no orientation map; %s?'):format(client.plain(found.path)),
      }, function(choice)
        if choice == 'Create it' then
          client.request(from, 'gazetteer/map', { uri = uri, create = true }, function(made)
            open(made.uri, of.offset_encoding)
          end, { client = of })
        end
      end)
    end, { client = of })
  end)
end

---@type table<string, gazetteer.Command>
M.table = {
  ask = {
    help = 'ask the word below the cursor, the selection or the words given',
    run = function(call)
      questions.ask(call.place, call.words, call)
    end,
    complete = typed,
  },
  related = {
    help = 'show what resembles this place, a locator or PATH:LINE',
    run = function(call)
      questions.related(call.place, call.words, call)
    end,
    complete = function(lead)
      return vim.fn.getcompletion(lead, 'file')
    end,
  },
  callers = {
    help = 'show who uses the name below the cursor or the one given',
    run = function(call)
      questions.callers(call.place, call.words, call)
    end,
    complete = names,
  },
  explain = {
    help = 'say how a question is answered and what each step finds',
    run = function(call)
      questions.explain(call.place, call.words)
    end,
    complete = typed,
  },
  corpus = {
    help = 'list, add, rm, scan, index or check the trees that are registered under a name',
    run = function(call)
      require('gazetteer.corpora').run(call.words)
    end,
    complete = function(lead, before)
      return require('gazetteer.corpora').complete(lead, before)
    end,
  },
  status = {
    help = 'show the state of the index of this tree',
    run = function()
      about_tree('status', function(status)
        require('gazetteer.report').state(status)
      end)
    end,
  },
  sync = {
    help = 'take in now what has changed',
    run = function()
      about_tree('sync', function(result)
        client.say(('the index is up to date, generation %s.'):format(result.generation or '?'))
      end)
    end,
  },
  reindex = {
    help = 'read the whole tree again',
    run = function()
      about_tree('reindex', function(result)
        client.say(('everything was read again, generation %s.'):format(result.generation or '?'))
      end)
    end,
  },
  map = { help = 'open the orientation map of this tree, or make one', run = map },
  notes = {
    help = 'turn inline notes on or off',
    run = function()
      require('gazetteer.notes').toggle()
    end,
  },
  restart = { help = 'start the server again', run = client.restart },
  log = {
    help = 'open the log of the language servers at its end',
    run = function()
      vim.cmd.tabedit({ args = { vim.lsp.log.get_filename() }, magic = { file = false, bar = false } })
      vim.cmd('normal! G')
    end,
  },
}

--- `:Gazetteer WORD ...`
---@param args {fargs: string[], args: string, bang: boolean, range: integer}
function M.run(args)
  local word = args.fargs[1] or 'ask'
  local command = M.table[word]
  if not command then
    client.fail(('there is no :Gazetteer %s; there are %s.'):format(word, table.concat(M.words(''), ', ')))
    return
  end
  local words = vim.trim((args.args:gsub('^%s*%S+', '')))
  command.run({ words = words, bang = args.bang, place = questions.here(args.range > 0) })
end

--- The words that start with `lead`.
---@param lead string
---@return string[]
function M.words(lead)
  local found = vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, vim.tbl_keys(M.table))
  table.sort(found)
  return found
end

--- Completion of the command line.
---@param lead string
---@param line string
---@param position integer
---@return string[]
function M.complete(lead, line, position)
  local before = line:sub(1, position):match('Gazetteer!?%s+(.*)$') or ''
  local word = before:match('^(%S+)%s')
  if not word then
    return M.words(lead)
  end
  local command = M.table[word]
  return command and command.complete and command.complete(lead, before) or {}
end

--- A mapping: with a selection it is about that.
---@param name string
function M.mapped(name)
  local selected = vim.api.nvim_get_mode().mode:match('^[vV\22]') ~= nil
  local place = questions.here(selected)
  if selected then
    vim.api.nvim_feedkeys(vim.keycode('<Esc>'), 'nx', false)
  end
  M.table[name].run({ words = '', bang = false, place = place })
end

return M
