--- What the servers say of themselves: the state of each tree, and progress in the message area.

local M = {}

---@class gazetteer.State
---@field root string uri of the tree
---@field state 'starting'|'indexing'|'ready'|'stale'|'error'
---@field message string
---@field percent? integer
---@field remedy? string
---@field corpus? string what the tree is called
---@field own? boolean whether the client has it open; false for a corpus that is asked beside those

---@type table<integer, table<string, gazetteer.State>> by client id, by root
local states = {}

local said = {} ---@type table<string, true> errors that were said already

---@param text string
local function echo(text)
  -- a longer one would ask for Enter
  local room = math.max(vim.v.echospace, 20)
  if vim.api.nvim_strwidth(text) > room then
    text = vim.fn.strcharpart(text, 0, room - 1) .. '…'
  end
  vim.api.nvim_echo({ { text } }, false, {})
end

--- Show one `$/progress` of the server, unless somebody is typing a command.
---@param params {token: any, value: any}
function M.progress(params)
  local value = params.value
  if type(value) ~= 'table' or not value.kind or not require('gazetteer.options').get().progress then
    return
  end
  if vim.api.nvim_get_mode().mode:sub(1, 1) == 'c' then
    return
  end
  if value.kind == 'end' and not value.message then
    echo('')
    return
  end
  local percent = value.percentage and (' %d%%'):format(value.percentage) or ''
  local words = vim.iter({ value.title, value.message }):filter(function(word)
    return word and word ~= ''
  end)
  echo(require('gazetteer.client').plain(('gazetteer: %s%s'):format(words:join(': '), percent)))
end

--- `gazetteer/didChangeStatus` of one server. An error of a tree is said once, with its remedy.
--- What is the matter with a corpus that is only asked too, the answer says.
---@param state gazetteer.State
---@param client_id integer
function M.changed(state, client_id)
  states[client_id] = states[client_id] or {}
  states[client_id][state.root] = state
  if state.state == 'error' and state.own ~= false and not said[state.message] then
    said[state.message] = true
    require('gazetteer.client').fail(M.sentence(state))
  end
  vim.api.nvim_exec_autocmds('User', { pattern = 'GazetteerStatus', modeline = false, data = state })
  vim.cmd.redrawstatus()
end

---@param client_id integer
function M.forget(client_id)
  states[client_id] = nil
end

--- A state and, where the state does not end with it already, its remedy.
---@param state gazetteer.State
---@return string
function M.sentence(state)
  local remedy = state.remedy
  if not remedy or remedy == '' or state.message:find(remedy, 1, true) then
    return state.message
  end
  return ('%s; %s'):format((state.message:gsub('[.;]%s*$', '')), remedy)
end

--- The states of all trees of a client, by uri.
---@param client_id integer
---@return gazetteer.State[]
function M.of(client_id)
  local found = vim.tbl_values(states[client_id] or {})
  table.sort(found, function(a, b)
    return a.root < b.root
  end)
  return found
end

local signs = { starting = '…', indexing = '…', ready = '', stale = '~', error = '!' }

--- A word for the status line of the current buffer, "" without a server: `%{%v:lua.require'gazetteer'.statusline()%}`.
---@return string
function M.line()
  local bufnr = vim.api.nvim_get_current_buf()
  local client = vim.lsp.get_clients({ name = 'gazetteer', bufnr = bufnr })[1]
  local state = client and vim.iter(M.of(client.id)):find(function(one)
    return one.own ~= false
  end)
  if not state then
    return client and 'gazetteer' or ''
  end
  local percent = state.percent and (' %d%%%%'):format(state.percent) or ''
  return ('gazetteer%s%s'):format(signs[state.state] or '', percent)
end

return M
