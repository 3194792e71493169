--- Inline notes: behind the line of the cursor, what the server knows of the name there, in one line of virtual text.
--- Off by default. What is shown is the first line of the hover card; nothing is asked while somebody types.

local client = require('gazetteer.client')

local M = {}

local space = vim.api.nvim_create_namespace('gazetteer.notes')
local group ---@type integer?

local WIDTH = 120

--- The first telling line of a hover card, without its Markdown.
---@param contents any
---@return string?
function M.gist(contents)
  local value = type(contents) == 'table' and contents.value or contents
  if type(value) ~= 'string' then
    return nil
  end
  for line in vim.gsplit(value, '\n', { plain = true }) do
    local text = line:gsub('%[([^%]]*)%]%b()', '%1'):gsub('[`*]', ''):gsub('\\(%p)', '%1')
    text = vim.trim(client.plain(text))
    if text ~= '' and not line:match('^```') and not line:match('^%-%-%-') then
      return vim.fn.strcharpart(text, 0, WIDTH)
    end
  end
end

---@param bufnr integer
local function clear(bufnr)
  if vim.api.nvim_buf_is_valid(bufnr) then
    vim.api.nvim_buf_clear_namespace(bufnr, space, 0, -1)
  end
end

---@param bufnr integer
local function show(bufnr)
  local of = vim.lsp.get_clients({ name = 'gazetteer', bufnr = bufnr, method = 'textDocument/hover' })[1]
  if not of or vim.fn.expand('<cword>') == '' then
    return
  end
  local position = vim.lsp.util.make_position_params(0, of.offset_encoding)
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)
  client.request(bufnr, 'textDocument/hover', position, function(card)
    local text = card and M.gist(card.contents)
    local current = vim.api.nvim_get_current_buf() == bufnr and vim.api.nvim_buf_get_changedtick(bufnr) == tick
    if text and group and current then
      vim.api.nvim_buf_set_extmark(bufnr, space, position.position.line, 0, {
        virt_text = { { '  ' .. text, 'Comment' } },
        virt_text_pos = 'eol',
        hl_mode = 'combine',
      })
    end
  end, { client = of, kind = 'note', quiet = true })
end

---@return boolean
function M.enabled()
  return group ~= nil
end

---@param on boolean
function M.enable(on)
  if on == M.enabled() then
    return
  end
  if not on then
    vim.api.nvim_del_augroup_by_id(group)
    group = nil
    client.cancel('note')
    for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
      clear(bufnr)
    end
    return
  end
  group = vim.api.nvim_create_augroup('gazetteer.notes', {})
  vim.api.nvim_create_autocmd('CursorHold', {
    group = group,
    callback = function(args)
      clear(args.buf)
      show(args.buf)
    end,
  })
  vim.api.nvim_create_autocmd({ 'CursorMoved', 'InsertEnter', 'TextChanged', 'BufLeave' }, {
    group = group,
    callback = function(args)
      clear(args.buf)
    end,
  })
end

function M.toggle()
  M.enable(not M.enabled())
  client.say(M.enabled() and 'inline notes are on.' or 'inline notes are off.')
end

return M
