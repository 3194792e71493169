--- From the cursor, a selection or typed words to a request, and from its answer to the list. No answer is made here.

local client = require('gazetteer.client')

local M = {}

---@class gazetteer.Place where a question is asked from
---@field bufnr integer
---@field win integer
---@field selection? string selected text

--- The current place. `selected`: what is, or was last, selected is meant.
---@param selected? boolean
---@return gazetteer.Place
function M.here(selected)
  local place = { bufnr = vim.api.nvim_get_current_buf(), win = vim.api.nvim_get_current_win() }
  if selected then
    local mode = vim.api.nvim_get_mode().mode
    local visual = mode:match('^[vV\22]')
    local from, to = vim.fn.getpos(visual and 'v' or "'<"), vim.fn.getpos(visual and '.' or "'>")
    local kind = visual or vim.fn.visualmode()
    place.selection = table.concat(vim.fn.getregion(from, to, { type = kind ~= '' and kind or 'v' }), '\n')
  end
  return place
end

---@param place gazetteer.Place
local function uri(place)
  return require('gazetteer.root').file_of(place.bufnr) and vim.uri_from_bufnr(place.bufnr) or nil
end

--- Parameters that say where a question comes from: the document, else the tree of the client.
---@param place gazetteer.Place
---@param of vim.lsp.Client
local function where(place, of)
  local document = uri(place)
  return document and { uri = document } or { root = of.root_dir and vim.uri_from_fname(of.root_dir) }
end

---@param name string what the answer is to: the title of the list
---@param options {bang?: boolean}
---@return fun(answer: table, of: vim.lsp.Client)
local function listing(name, options)
  return function(answer, of)
    local results = require('gazetteer.results')
    local items = results.items(answer, of)
    for _, notice in ipairs(vim.tbl_get(answer, 'receipt', 'notices') or {}) do
      client.say(notice, vim.log.levels.WARN)
    end
    if #items == 0 then
      client.say(('nothing was found for %s.'):format(name))
    elseif options.bang then
      results.quickfix(items, name)
    else
      require('gazetteer.picker').show(items, name)
    end
  end
end

--- Ask `words`, else the selection, else the word below the cursor, else what is typed now.
---@param place gazetteer.Place
---@param words? string
---@param use fun(question: string, typed: boolean) `typed`: somebody typed it, so filters may be in it
local function question(place, words, use)
  local typed = vim.trim(words or '')
  local text = typed ~= '' and typed or vim.trim(place.selection or vim.fn.expand('<cword>'))
  if text ~= '' then
    use(text, typed ~= '')
    return
  end
  vim.ui.input({ prompt = 'Ask: ' }, function(answer)
    answer = vim.trim(answer or '')
    if answer ~= '' then
      use(answer, true)
    end
  end)
end

---@param place gazetteer.Place
---@param text string
---@param method string
---@param use fun(answer: table, of: vim.lsp.Client)
---@param more table further parameters
local function send_question(place, text, method, use, more)
  -- whoever names a corpus may be anywhere
  local anywhere = more.typed and text:find('%f[%w]corpus:') ~= nil
  client.with(place.bufnr, function(of)
    local params = vim.tbl_extend('force', where(place, of), more)
    params.query, params.limit = text, require('gazetteer.options').get().limit
    client.request(place.bufnr, method, params, use, { client = of, kind = 'question' })
  end, anywhere)
end

---@param place gazetteer.Place
---@param words? string
---@param options {bang?: boolean}
function M.ask(place, words, options)
  question(place, words, function(text, typed)
    send_question(place, text, 'gazetteer/retrieve', listing(text, options), { typed = typed })
  end)
end

---@param place gazetteer.Place
---@param words? string
function M.explain(place, words)
  question(place, words, function(text, typed)
    send_question(place, text, 'gazetteer/explain', function(answer)
      require('gazetteer.report').explanation(text, answer)
    end, { typed = typed })
  end)
end

--- A request about the position of the cursor.
---@param place gazetteer.Place
---@param method string
---@param title string
---@param options {bang?: boolean}
local function about_position(place, method, title, options)
  if not uri(place) then
    client.fail('this buffer is no file; ask from a file, or type a question with :Gazetteer ask.')
    return
  end
  client.with(place.bufnr, function(of)
    local at = vim.lsp.util.make_position_params(place.win, of.offset_encoding)
    local params = { uri = at.textDocument.uri, position = at.position }
    client.request(place.bufnr, method, params, listing(title, options), { client = of, kind = 'question' })
  end)
end

--- What resembles the place of the cursor, or a locator or "path:line" that is given.
---@param place gazetteer.Place
---@param target? string
---@param options {bang?: boolean}
function M.related(place, target, options)
  if target and target ~= '' then
    client.with(place.bufnr, function(of)
      local params = where(place, of)
      params.target = target
      local use = listing('related to ' .. target, options)
      client.request(place.bufnr, 'gazetteer/related', params, use, { client = of, kind = 'question' })
    end)
    return
  end
  about_position(place, 'gazetteer/related', 'related to line ' .. vim.fn.line('.'), options)
end

--- Who uses a name: the given one, else the one below the cursor.
---@param place gazetteer.Place
---@param name? string
---@param options {bang?: boolean}
function M.callers(place, name, options)
  question(place, name, function(text)
    local words = 'who calls ' .. text
    send_question(place, words, 'gazetteer/retrieve', listing(words, options), { via = { 'graph' } })
  end)
end

--- The client's side of a code action: send the request that it carries and show the answer.
---@param view {title: string, method: string, params: table}
---@param ctx {bufnr?: integer, client_id?: integer}
function M.view(view, ctx)
  local of = ctx.client_id and vim.lsp.get_client_by_id(ctx.client_id)
  local title = client.plain(view.title)
  client.request(ctx.bufnr or 0, view.method, view.params, function(answer, answering)
    if answer.hits then
      listing(title, {})(answer, answering)
    elseif answer.plan then
      require('gazetteer.report').explanation(title, answer)
    else
      require('gazetteer.report').data(title, answer)
    end
  end, { client = of, kind = 'question' })
end

--- Put text where it can be pasted from: the clipboard, or the unnamed register where there is none.
---@param text string
function M.copy(text)
  vim.fn.setreg('"', text)
  if vim.fn.has('clipboard') == 1 then
    vim.fn.setreg('+', text)
    client.say('the evidence is in the clipboard.')
  else
    client.say('the evidence can be put with p; there is no clipboard here (:help clipboard).')
  end
end

return M
