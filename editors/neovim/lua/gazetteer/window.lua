--- Our own list with a preview: two floating windows, no dependency.
--- The list keeps the order of the answer; moving in it shows the text of the hit below the cursor.

local results = require('gazetteer.results')

local M = {}

local marks = vim.api.nvim_create_namespace('gazetteer.window')

---@class gazetteer.Window
---@field items gazetteer.Item[]
---@field title string
---@field list {buf: integer, win: integer}
---@field preview {buf: integer, win: integer}
---@field back integer window that the question was asked from
---@field closed? boolean

local KEYS = 'Enter open   C-s split   C-v vsplit   C-t tab   C-q quickfix   q close'

local function scratch()
  local buf = vim.api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = 'wipe'
  vim.bo[buf].modeline = false
  return buf
end

--- Where the two windows go: as wide as the screen up to a limit, no higher than what is in them.
---@param items gazetteer.Item[]
---@return table list, table preview
local function layout(items)
  local columns, lines = vim.o.columns, vim.o.lines - vim.o.cmdheight
  local width = math.max(math.min(columns - 2, 140), 20)
  local room = math.max(lines - 6, 4)
  local longest = vim.iter(items):fold(5, function(most, item)
    return math.max(most, #results.text(item))
  end)
  local upper = math.max(math.min(#items, math.floor(room / 2), 15), 1)
  local lower = math.max(math.min(room - upper, longest, 24), 1)
  local top = math.max(math.floor((lines - upper - lower - 4) / 2), 0)
  local left = math.max(math.floor((columns - width - 2) / 2), 0)
  local function place(row, height)
    return { relative = 'editor', row = row, col = left, width = width, height = height, border = 'rounded' }
  end
  return place(top, upper), place(top + upper + 2, lower)
end

--- A title as chunks: it is literal text, never a format. `note` is never cut off.
---@param config table
---@param title string
---@param footer? string
---@param note? string
local function titled(config, title, footer, note)
  note = note and note ~= '' and ' · ' .. note or ''
  local function cut(text, room)
    return vim.api.nvim_strwidth(text) <= room and text or vim.fn.strcharpart(text, 0, math.max(room - 1, 0)) .. '…'
  end
  local room = config.width - 4
  local kept = cut(title, room - vim.api.nvim_strwidth(note))
  config.title = { { ' ' .. kept, 'FloatTitle' }, { note, 'WarningMsg' }, { ' ', 'FloatTitle' } }
  config.footer = footer and { { ' ' .. cut(footer, room) .. ' ', 'FloatFooter' } }
  config.style = 'minimal'
  return config
end

---@param self gazetteer.Window
local function selected(self)
  return self.items[vim.api.nvim_win_get_cursor(self.list.win)[1]]
end

---@param self gazetteer.Window
local function show(self)
  local item = selected(self)
  local first = results.preview(self.preview.buf, item)
  local config = vim.api.nvim_win_get_config(self.preview.win)
  vim.api.nvim_win_set_config(self.preview.win, titled(config, results.citation(item), KEYS, results.caution(item)))
  results.scroll(self.preview.win, item)
  vim.wo[self.preview.win].statuscolumn = ('%%=%%{v:lnum + %d} │ '):format(first - 1)
end

--- Close both windows, once; `focus` goes back to where the question was asked from.
---@param self gazetteer.Window
---@param focus boolean
local function close(self, focus)
  if self.closed then
    return
  end
  self.closed = true
  for _, part in ipairs({ self.list, self.preview }) do
    if vim.api.nvim_win_is_valid(part.win) then
      vim.api.nvim_win_close(part.win, true)
    end
  end
  if focus and vim.api.nvim_win_is_valid(self.back) then
    vim.api.nvim_set_current_win(self.back)
  end
end

---@param self gazetteer.Window
local function map(self)
  local function key(keys, act)
    for _, lhs in ipairs(keys) do
      vim.keymap.set('n', lhs, act, { buffer = self.list.buf, nowait = true })
    end
  end
  local function go(how)
    return function()
      local item = selected(self)
      close(self, true)
      results.jump(item, how)
    end
  end
  key({ '<CR>', '<2-LeftMouse>' }, go('edit'))
  key({ '<C-s>', '<C-x>' }, go('split'))
  key({ '<C-v>' }, go('vsplit'))
  key({ '<C-t>' }, go('tab'))
  key({ '<C-q>' }, function()
    close(self, true)
    results.quickfix(self.items, self.title)
  end)
  key({ 'q', '<Esc>', '<C-c>' }, function()
    close(self, true)
  end)
  for lhs, keys in pairs({ ['<C-d>'] = '\4', ['<C-u>'] = '\21' }) do
    key({ lhs }, function()
      vim.api.nvim_win_call(self.preview.win, function()
        vim.cmd('normal! ' .. keys)
      end)
    end)
  end
end

---@param self gazetteer.Window
local function fill(self)
  local lines = vim.tbl_map(function(item)
    return ' ' .. item.text
  end, self.items)
  vim.api.nvim_buf_set_lines(self.list.buf, 0, -1, false, lines)
  vim.bo[self.list.buf].modifiable = false
  for row, item in ipairs(self.items) do
    local function mark(from, length, group)
      vim.api.nvim_buf_set_extmark(self.list.buf, marks, row - 1, from, { end_col = from + length, hl_group = group })
    end
    mark(1, item.lead, 'Identifier')
    mark(1 + item.lead, #item.place, 'Directory')
    if item.note ~= '' then
      mark(#lines[row] - #item.note - 2, #item.note + 2, 'WarningMsg')
    end
  end
end

---@param items gazetteer.Item[]
---@param title string
---@return gazetteer.Window
function M.open(items, title)
  local self = { items = items, title = title, back = vim.api.nvim_get_current_win() }
  local above, below = layout(items)
  self.preview = { buf = scratch() }
  self.preview.win = vim.api.nvim_open_win(self.preview.buf, false, titled(below, '', KEYS))
  self.list = { buf = scratch() }
  self.list.win = vim.api.nvim_open_win(self.list.buf, true, titled(above, title))
  vim.wo[self.list.win].cursorline = true
  vim.wo[self.preview.win].cursorline = true
  vim.wo[self.list.win].wrap = false
  vim.wo[self.preview.win].wrap = false
  vim.bo[self.list.buf].filetype = 'gazetteer'
  fill(self)
  map(self)
  show(self)
  vim.api.nvim_create_autocmd('CursorMoved', {
    buffer = self.list.buf,
    callback = function()
      show(self)
    end,
  })
  vim.api.nvim_create_autocmd({ 'WinLeave', 'BufLeave' }, {
    buffer = self.list.buf,
    once = true,
    callback = function()
      vim.schedule(function()
        close(self, false)
      end)
    end,
  })
  return self
end

return M
