--- What may be set with `require('gazetteer').setup{}`, with its defaults; a mistyped name is an error.

local M = {}

---@class gazetteer.Options
---@field cmd? string[] how the server is started; nil looks for it (|gazetteer-server|)
---@field settings table settings of the server (|gazetteer-settings|)
---@field picker 'auto'|'builtin'|'select'|'telescope'|'fzf-lua'|'snacks'|'quickfix'
---@field limit integer most hits of one answer
---@field notes boolean inline notes from the start
---@field progress boolean progress in the message area
---@field enable boolean call `vim.lsp.enable('gazetteer')`
local defaults = {
  cmd = nil,
  settings = {},
  picker = 'auto',
  limit = 20,
  notes = false,
  progress = true,
  enable = true,
}

M.pickers = { 'auto', 'builtin', 'select', 'telescope', 'fzf-lua', 'snacks', 'quickfix' }

M.types = {
  cmd = { 'table', 'nil' },
  settings = 'table',
  picker = 'string',
  limit = 'number',
  notes = 'boolean',
  progress = 'boolean',
  enable = 'boolean',
}

local current = vim.deepcopy(defaults)

---@return gazetteer.Options
function M.get()
  return current
end

--- Take what was given over the defaults.
---@param given? table
---@return gazetteer.Options
function M.set(given)
  given = given or {}
  for name in pairs(given) do
    if not M.types[name] then
      local known = vim.tbl_keys(M.types)
      table.sort(known)
      error(('gazetteer: there is no option %s; there are %s.'):format(name, table.concat(known, ', ')), 0)
    end
  end
  local merged = vim.tbl_extend('force', vim.deepcopy(defaults), given)
  for name, type_ in pairs(M.types) do
    vim.validate('gazetteer option ' .. name, merged[name], type_)
  end
  if not vim.list_contains(M.pickers, merged.picker) then
    local message = 'gazetteer: picker must be one of %s, not %s.'
    error(message:format(table.concat(M.pickers, ', '), merged.picker), 0)
  end
  current = merged
  return current
end

return M
