--- Hits as things of the editor: a line in a list, a text to look at, a place to go to, a quickfix entry.
--- What a tree says is only ever shown: control characters go, nothing is a format or a command.

local M = {}

---@class gazetteer.Item
---@field hit table the hit as it came
---@field encoding string of the positions in it
---@field corpus string "" where one corpus answered
---@field lead integer bytes in front of the place in `text`
---@field place string "path:line"
---@field heading string
---@field note string "" when the text is what is on disk
---@field text string all of it, as one line

--- What people are told of a text that was not verified against the file, in short and as the command line says it.
local NOTES = {
  overlay = { 'unsaved', 'unsaved text of an open editor' },
  stale = { 'changed since', 'the file has changed since' },
  unverified = { 'not checked', 'not checked against the file in time' },
}

local plain = function(text)
  return require('gazetteer.client').plain(text)
end

---@param answer table `{hits, receipt}`
---@param client vim.lsp.Client
---@return gazetteer.Item[]
function M.items(answer, client)
  local width, column = 0, 0
  local several = #(vim.tbl_get(answer, 'receipt', 'snapshot', 'corpora') or {}) > 1
  local items = vim.tbl_map(function(hit)
    local item = {
      hit = hit,
      encoding = client.offset_encoding,
      corpus = several and plain(hit.corpus) or '',
      place = plain(('%s:%d'):format(hit.path, M.selection(hit).start.line + 1)),
      heading = plain(hit.heading),
      note = (NOTES[hit.freshness] or { '' })[1],
    }
    width = math.max(width, vim.api.nvim_strwidth(item.place))
    column = math.max(column, vim.api.nvim_strwidth(item.corpus))
    return item
  end, answer.hits or {})
  for _, item in ipairs(items) do
    local gap = (' '):rep(width - vim.api.nvim_strwidth(item.place) + 2)
    local note = item.note ~= '' and ('  [%s]'):format(item.note) or ''
    local whose = several and item.corpus .. (' '):rep(column - vim.api.nvim_strwidth(item.corpus) + 2) or ''
    item.lead = #whose
    item.text = (whose .. item.place .. gap .. item.heading .. note):gsub('%s+$', '')
  end
  return items
end

---@param item gazetteer.Item
---@return string
function M.citation(item)
  return plain(item.hit.citation)
end

--- Where the cursor stands for a hit: in the line that its citation names.
---@param hit table
---@return table range
function M.selection(hit)
  return hit.selectionRange or hit.range
end

--- What is to be said of the freshness of a hit, "" when its text is what is on disk.
---@param item gazetteer.Item
---@return string
function M.caution(item)
  return (NOTES[item.hit.freshness] or {})[2] or ''
end

--- The text of a hit with the number of its first line.
---@param item gazetteer.Item
---@return string[] lines, integer first
function M.text(item)
  local hit = item.hit
  local text, first = hit.text, hit.lines[1]
  if not text or text == '' then
    text, first = hit.snippet or '', (hit.snippetLines or hit.lines)[1]
  end
  return vim.split((text:gsub('\n$', '')), '\n', { plain = true }), first
end

local ABOVE = 3 -- lines that are shown in front of the one that a citation names

--- Where in the text of a hit the line is that its citation names: a passage may begin long before.
---@param item gazetteer.Item
---@return integer row counted from one
function M.row(item)
  local lines, first = M.text(item)
  return math.min(math.max(M.selection(item.hit).start.line + 2 - first, 1), #lines)
end

--- Show that line in a window that has the text, near its top where not all of the text fits into it.
---@param win integer
---@param item gazetteer.Item
function M.scroll(win, item)
  local row = M.row(item)
  vim.api.nvim_win_set_cursor(win, { row, 0 })
  local fits = vim.api.nvim_buf_line_count(vim.api.nvim_win_get_buf(win)) <= vim.api.nvim_win_get_height(win)
  vim.api.nvim_win_call(win, function()
    vim.fn.winrestview({ topline = fits and 1 or math.max(row - ABOVE, 1) })
  end)
end

--- The text for a list that shows the beginning of what it is given: it begins shortly before that line.
---@param item gazetteer.Item
---@return string[]
function M.excerpt(item)
  local lines = M.text(item)
  return vim.list_slice(lines, math.max(M.row(item) - ABOVE, 1))
end

--- Fill a buffer with the text of a hit and colour it; neither modelines nor filetype plugins run on it.
---@param bufnr integer
---@param item gazetteer.Item
---@return integer first number of the first line
function M.preview(bufnr, item)
  local lines, first = M.text(item)
  vim.bo[bufnr].modifiable = true
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].modifiable = false
  local filetype = vim.filetype.match({ filename = item.hit.relpath or item.hit.path, contents = lines }) or ''
  vim.treesitter.stop(bufnr)
  if not pcall(vim.treesitter.start, bufnr, vim.treesitter.language.get_lang(filetype) or filetype) then
    vim.bo[bufnr].syntax = filetype
  end
  return first
end

--- How to make room for a place, by what a key or a picker calls it; anything else stays in this window.
local ROOMS = { split = 'split', vsplit = 'vsplit', tab = 'tab split' }

--- Go to the place of a hit. An open buffer is shown as it is, unsaved text included.
---@param item gazetteer.Item
---@param how? string
function M.jump(item, how)
  local room = ROOMS[how]
  if room then
    vim.cmd(room)
  end
  local location = { uri = item.hit.uri, range = M.selection(item.hit) }
  vim.lsp.util.show_document(location, item.encoding, { focus = true, reuse_win = not room })
  vim.cmd('normal! zvzz')
end

--- Put all hits into the quickfix list and open it.
---@param items gazetteer.Item[]
---@param title string
function M.quickfix(items, title)
  local list = vim.tbl_map(function(item)
    local location = { uri = item.hit.uri, range = M.selection(item.hit) }
    local entry = vim.lsp.util.locations_to_items({ location }, item.encoding)[1]
    local whose = item.corpus ~= '' and item.corpus .. ': ' or ''
    entry.text = whose .. item.heading .. (item.note ~= '' and (' [%s]'):format(item.note) or '')
    return entry
  end, items)
  vim.fn.setqflist({}, ' ', { title = plain(title), items = list })
  vim.cmd('botright copen')
end

return M
