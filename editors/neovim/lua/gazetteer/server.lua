--- Finds the server and starts it. The setting comes first, then the active environment, then $PATH.
--- A folder of the tree is never searched: what lies in a tree must not decide what is run.

local M = {}

--- What pip takes: the repository that this plugin lies in, or a name where the plugin was copied out of it.
local function package()
  local own = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p')
  local repository = vim.fn.fnamemodify(own, ':h:h:h:h:h')
  local whole = vim.uv.fs_stat(repository .. '/pyproject.toml') and vim.uv.fs_stat(repository .. '/server/lsp')
  return whole and vim.fn.shellescape(repository) or 'gazetteer'
end

M.PACKAGE = package()
M.INSTALL = ('pip install %s, or name the command with setup{ cmd = { "/path/to/gazetteer", "serve" } }'):format(
  M.PACKAGE
)

---@param path? string
local function executable(path)
  return path ~= nil and path ~= '' and vim.fn.executable(path) == 1
end

local function in_environment()
  local environment = vim.env.VIRTUAL_ENV
  if not environment or environment == '' then
    return nil
  end
  local folder = vim.fn.has('win32') == 1 and 'Scripts' or 'bin'
  local path = vim.fs.joinpath(environment, folder, 'gazetteer')
  return executable(path) and path or nil
end

local function on_path()
  local path = vim.fn.exepath('gazetteer')
  return path ~= '' and path or nil
end

---@class gazetteer.Found
---@field cmd? string[] nil when there is none
---@field from string where it was found, or why it was not

--- Where the server is and who said so.
---@return gazetteer.Found
function M.find()
  local set = require('gazetteer.options').get().cmd
  if set then
    if executable(set[1]) then
      return { cmd = set, from = 'setting' }
    end
    return { from = ('the setting names %s, which cannot be run'):format(vim.inspect(set[1])) }
  end
  local path = in_environment()
  if path then
    return { cmd = { path, 'serve' }, from = '$VIRTUAL_ENV' }
  end
  path = on_path()
  if path then
    return { cmd = { path, 'serve' }, from = '$PATH' }
  end
  return { from = 'it is neither in $VIRTUAL_ENV nor on $PATH' }
end

local function sentence(found)
  return ('gazetteer: no server: %s; %s, then :Gazetteer restart.'):format(found.from, M.INSTALL)
end

local told = false

--- Whether there is a server to start for a file that was opened. If not, that is said once, and the configuration
--- turned off, so that not every further file brings the same message.
---@return boolean
function M.is_there()
  local cmd = (vim.lsp.config.gazetteer or {}).cmd
  local found = type(cmd) == 'table' and { cmd = cmd } or M.find()
  if not found.cmd and not told then
    told = true
    -- not now: an error would break off what opens the file
    vim.schedule(function()
      vim.notify(sentence(found), vim.log.levels.WARN)
      vim.lsp.enable('gazetteer', false)
    end)
  end
  return found.cmd ~= nil
end

--- Say it again when there is still no server.
function M.look_again()
  told = false
end

--- The value of `cmd` in the server's configuration.
---@param dispatchers vim.lsp.rpc.Dispatchers
---@param config? vim.lsp.ClientConfig
---@return vim.lsp.rpc.PublicClient
function M.start(dispatchers, config)
  config = config or {}
  local found = M.find()
  if not found.cmd then
    error(sentence(found), 0)
  end
  return vim.lsp.rpc.start(found.cmd, dispatchers, {
    cwd = config.cmd_cwd,
    env = config.cmd_env,
    detached = config.detached,
  })
end

return M
