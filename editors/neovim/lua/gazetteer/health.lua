--- `:checkhealth gazetteer`: is Neovim new enough, where is the server, do the versions agree, what does the index say,
--- and for everything that is wrong, what to do.

local M = {}

local PATIENCE = 5000 -- milliseconds; a health check may wait, nothing else does

---@param version string
local function minor(version)
  return version:match('^%d+%.%d+')
end

local function check_neovim()
  local version = tostring(vim.version())
  if vim.fn.has('nvim-0.11') == 1 then
    vim.health.ok('Neovim ' .. version)
  else
    vim.health.error('Neovim ' .. version .. ' is too old', { 'Install Neovim 0.11 or newer' })
  end
end

---@param version string of the server
local function compare(version)
  local own = require('gazetteer').version
  if minor(version) == minor(own) then
    vim.health.ok(('server %s, plugin %s'):format(version, own))
  else
    vim.health.warn(('server %s and plugin %s do not belong together'):format(version, own), {
      'pip install --upgrade ' .. require('gazetteer.server').PACKAGE,
      'update this plugin to the version of the server',
    })
  end
end

--- The command that `vim.lsp.config` has, when the user put one there.
local function configured()
  local cmd = (vim.lsp.config.gazetteer or {}).cmd
  return type(cmd) == 'table' and { cmd = cmd, from = "vim.lsp.config('gazetteer')" } or nil
end

---@return boolean
local function check_server()
  local found = configured() or require('gazetteer.server').find()
  if not found.cmd then
    vim.health.error(
      'There is no server: ' .. found.from,
      { require('gazetteer.server').INSTALL, ':Gazetteer restart' }
    )
    return false
  end
  vim.health.ok(('server from %s: %s'):format(found.from, table.concat(found.cmd, ' ')))
  local words = vim.list_slice(found.cmd)
  if words[#words] ~= 'serve' then
    vim.health.info('the command has arguments of its own; its version is what the running server says')
    return true
  end
  words[#words] = '--version'
  local ran, done = pcall(function()
    return vim.system(words, { text = true }):wait(PATIENCE)
  end)
  local version = ran and done.code == 0 and (done.stdout or ''):match('%d+%.%d+%.%S+')
  if version then
    compare(version)
  else
    local shown = table.concat(words, ' ')
    vim.health.error(
      ('`%s` does not say its version'):format(shown),
      { 'run it in a shell', 'pip install --force-reinstall ' .. require('gazetteer.server').PACKAGE }
    )
  end
  return version ~= nil
end

---@param client vim.lsp.Client
local function check_tree(client)
  local version = (client.server_info or {}).version
  vim.health.info(('running for %s, version %s'):format(client.root_dir or 'no tree', version or 'unknown'))
  if version and minor(version) ~= minor(require('gazetteer').version) then
    compare(version)
  end
  if client.flags.debounce_text_changes ~= 0 then
    vim.health.warn('edits are sent late: a question may miss what is unsaved in another buffer', {
      "remove flags.debounce_text_changes from vim.lsp.config('gazetteer')",
    })
  end
  local root = client.root_dir and vim.uri_from_fname(client.root_dir)
  local answer, reason = client:request_sync('gazetteer/health', { root = root }, PATIENCE)
  if not answer then
    vim.health.error(
      'the server does not answer: ' .. (reason or 'it has ended'),
      { ':Gazetteer restart', ':Gazetteer log' }
    )
  elseif answer.err then
    vim.health.error(require('gazetteer.client').plain(answer.err.message), { ':Gazetteer log' })
  else
    M.index(answer.result)
  end
end

---@type table<string, {say: 'ok'|'info'|'warn'|'error', remedies?: string[]}> what a state means and what to do
local STATES = {
  ready = { say = 'ok' },
  empty = { say = 'warn', remedies = { 'look at .gitignore and at `exclude` of the settings' } },
  partial = { say = 'warn', remedies = { 'exclude folders, or raise maxFiles (:help gazetteer-settings)' } },
  indexing = { say = 'info' },
  missing = { say = 'info' },
  stale = { say = 'warn', remedies = { 'ask anything, or :Gazetteer sync' } },
  failed = { say = 'error', remedies = { ':Gazetteer sync', ':Gazetteer log', ':Gazetteer reindex' } },
}

--- Say what the server found out about an index.
---@param health table
function M.index(health)
  local plain = require('gazetteer.client').plain
  local meaning = STATES[health.state] or { say = 'warn', remedies = { 'update this plugin' } }
  local words = ('index %s, generation %d, %d documents'):format(health.state, health.generation, health.documents)
  local reason = health.reason or ''
  vim.health[meaning.say](plain(words .. (reason ~= '' and ': ' .. reason or '')), meaning.remedies)
  if (health.lastError or '') ~= '' then
    vim.health.warn(plain('the last refresh failed: ' .. health.lastError), STATES.failed.remedies)
  end
  for _, refused in ipairs(health.refused or {}) do
    vim.health.info(
      plain(('left out as %s: %d, e.g. %s'):format(refused.reason, refused.count, refused.examples[1] or ''))
    )
  end
end

local function check_clients(found)
  local clients = vim.lsp.get_clients({ name = 'gazetteer' })
  if #clients > 0 then
    vim.iter(clients):each(check_tree)
  elseif not vim.lsp._enabled_configs.gazetteer then
    vim.health.warn('the server is not turned on', { "vim.lsp.enable('gazetteer')", "require('gazetteer').setup{}" })
  elseif found then
    vim.health.info('the server is not running; it starts with the first file of a tree (.git or knowledge.yaml)')
  end
end

function M.check()
  vim.health.start('gazetteer')
  check_neovim()
  local found = check_server()
  vim.health.info('results are shown by ' .. require('gazetteer.picker').which())
  vim.health.start('gazetteer: trees')
  check_clients(found)
end

return M
