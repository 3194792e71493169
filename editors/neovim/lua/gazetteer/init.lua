--- The public face: `setup{}`, which nobody has to call, and what the command can do, as functions.

local M = {}

--- Version of the plugin; it goes with the server of the same version.
M.version = '0.1.0'

--- Set options (|gazetteer-options|) and turn the server on.
---@param options? table
function M.setup(options)
  options = require('gazetteer.options').set(options)
  if next(options.settings) then
    vim.lsp.config('gazetteer', { settings = { gazetteer = options.settings } })
  end
  require('gazetteer.notes').enable(options.notes)
  if options.enable then
    vim.lsp.enable('gazetteer')
  end
end

--- Ask `words`, or what is selected, or the word below the cursor; `bang` fills the quickfix list.
---@param words? string
---@param options? {bang?: boolean}
function M.ask(words, options)
  local selected = vim.api.nvim_get_mode().mode:match('^[vV\22]') ~= nil
  local questions = require('gazetteer.questions')
  questions.ask(questions.here(selected), words, options or {})
end

--- A word for the status line, e.g. `%{%v:lua.require'gazetteer'.statusline()%}`.
---@return string
function M.statusline()
  return require('gazetteer.status').line()
end

return M
