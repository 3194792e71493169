--- The way to the server: which client answers for a buffer, requests that replace the one before, errors in one line.
--- Nothing here waits: what comes too early is kept until the server is ready.

local M = {}

local NAME = 'gazetteer'
local PATIENCE = 3000 -- milliseconds that a server has to end by itself

---@type table<integer, fun(client: vim.lsp.Client)[]> by client id: what waits for the server to be ready
local waiting = {}

---@class gazetteer.InFlight
---@field client? integer nil as long as the server is not ready
---@field request? integer

---@type table<string, gazetteer.InFlight> the last request of each kind; what is not in here is of no interest any more
local in_flight = {}

--- Text of a server or a tree as one line without control characters.
---@param text any
---@return string
function M.plain(text)
  return (tostring(text or ''):gsub('[%c]+', ' '))
end

---@param message string
---@param level? integer
function M.say(message, level)
  vim.notify('gazetteer: ' .. M.plain(message), level or vim.log.levels.INFO)
end

---@param message string
function M.fail(message)
  M.say(message, vim.log.levels.ERROR)
end

---@return vim.lsp.Client[]
function M.all()
  return vim.tbl_filter(function(client)
    return not client:is_stopped()
  end, vim.lsp.get_clients({ name = NAME, _uninitialized = true }))
end

---@param root? string nil for a server that has no tree
local function configured(root)
  local config = vim.deepcopy(vim.lsp.config[NAME])
  config.root_dir = root
  config.workspace_required = root ~= nil
  return config
end

local REMEDY = 'change to a folder of a repository, put an empty knowledge.yaml into the folder that you mean, or give '
  .. 'it a name with :Gazetteer corpus add NAME DIR'

--- The client that answers for a buffer; one is started for its tree when there is none.
--- `anywhere`: for a buffer that is in no tree, one of another tree, or of none, will do.
---@param bufnr integer
---@param anywhere? boolean
---@return vim.lsp.Client?
local function find(bufnr, anywhere)
  for _, client in ipairs(M.all()) do
    if client.attached_buffers[bufnr] then
      return client
    end
  end
  local root = require('gazetteer.root').for_question(bufnr)
  if not root and not anywhere then
    M.fail(('%s is in no tree; %s.'):format(vim.fn.getcwd(), REMEDY))
    return nil
  elseif not root and M.all()[1] then
    return M.all()[1]
  end
  local id = vim.lsp.start(configured(root), { bufnr = bufnr, attach = false })
  return id and vim.lsp.get_client_by_id(id)
end

--- Call `use` with the client of a buffer as soon as it is ready.
---@param bufnr integer
---@param use fun(client: vim.lsp.Client)
---@param anywhere? boolean what is asked is about no tree in particular
function M.with(bufnr, use, anywhere)
  local client = find(bufnr, anywhere)
  if not client then
    return
  elseif client.initialized then
    use(client)
  else
    waiting[client.id] = waiting[client.id] or {}
    table.insert(waiting[client.id], use)
  end
end

--- The server answered `initialize`: ask what was kept.
---@param client vim.lsp.Client
function M.ready(client)
  local kept = waiting[client.id] or {}
  waiting[client.id] = nil
  for _, use in ipairs(kept) do
    use(client)
  end
end

--- A server has ended: nothing waits for it any more.
---@param client_id integer
function M.gone(client_id)
  waiting[client_id] = nil
  for kind, request in pairs(in_flight) do
    if request.client == client_id then
      in_flight[kind] = nil
    end
  end
  require('gazetteer.status').forget(client_id)
end

--- Stop the request of this kind that is in flight.
---@param kind string
function M.cancel(kind)
  local before = in_flight[kind]
  in_flight[kind] = nil
  local client = before and before.client and vim.lsp.get_client_by_id(before.client)
  if before and client and client.requests[before.request] then
    client:cancel_request(before.request)
  end
end

---@class gazetteer.Request
---@field kind? string a request of the same kind in flight is cancelled; the method by default
---@field quiet? boolean errors are not said
---@field client? vim.lsp.Client who is asked; found by the buffer otherwise
---@field anywhere? boolean what is asked is about no tree in particular

--- Ask the server of `bufnr`. `use` gets the result; an error becomes one sentence.
---@param bufnr integer
---@param method string
---@param params table
---@param use fun(result: any, client: vim.lsp.Client)
---@param options? gazetteer.Request
function M.request(bufnr, method, params, use, options)
  options = options or {}
  local kind = options.kind or method
  local function fail(message)
    if not options.quiet then
      M.fail(message)
    end
  end
  M.cancel(kind)
  local this = {} ---@type gazetteer.InFlight
  in_flight[kind] = this

  local function send(client)
    if in_flight[kind] ~= this then
      return
    end
    local sent, id = client:request(method, params, function(err, result)
      if in_flight[kind] ~= this then
        return
      end
      in_flight[kind] = nil
      if err then
        fail(err.message or 'the server gave no reason; see :Gazetteer log.')
      else
        use(result, client)
      end
    end, bufnr)
    if sent then
      this.client, this.request = client.id, id
    else
      in_flight[kind] = nil
      fail('the server has ended; start it with :Gazetteer restart.')
    end
  end

  if options.client then
    send(options.client)
  else
    M.with(bufnr, send, options.anywhere)
  end
end

--- Attach the server of its tree to a buffer that is a file of one.
---@param bufnr integer
local function attach(bufnr)
  local root = vim.api.nvim_buf_is_loaded(bufnr) and require('gazetteer.root').of_buffer(bufnr)
  if root and require('gazetteer.server').is_there() then
    vim.lsp.start(configured(root), { bufnr = bufnr })
  end
end

--- Attach the server to a file that has no filetype, for which `vim.lsp.enable` does nothing.
---@param bufnr integer
function M.attach_unknown(bufnr)
  if vim.api.nvim_buf_is_loaded(bufnr) and vim.bo[bufnr].filetype == '' then
    attach(bufnr)
  end
end

--- A folder has become a tree: buffers that were in none, and are in it, get its server.
function M.attach_new()
  for _, bufnr in ipairs(vim.lsp._enabled_configs[NAME] and vim.api.nvim_list_bufs() or {}) do
    if #vim.lsp.get_clients({ name = NAME, bufnr = bufnr, _uninitialized = true }) == 0 then
      attach(bufnr)
    end
  end
end

--- Show a buffer to its server afresh after writing has ended its last line: the file has that end now, and Neovim says
--- it of no change and of no later text of the buffer, which would differ from the file for ever.
---@param bufnr integer
function M.line_end_added(bufnr)
  for _, client in ipairs(vim.lsp.get_clients({ name = NAME, bufnr = bufnr })) do
    vim.bo[bufnr].endofline = true
    vim.lsp.buf_detach_client(bufnr, client.id)
    vim.lsp.buf_attach_client(bufnr, client.id)
  end
end

--- Stop every server and start it again for the buffers that it had.
function M.restart()
  local attached = {}
  for _, client in ipairs(M.all()) do
    vim.list_extend(attached, vim.tbl_keys(client.attached_buffers))
    client:stop()
    vim.defer_fn(function()
      if vim.lsp.get_client_by_id(client.id) then
        client:stop(true)
      end
    end, PATIENCE)
  end
  require('gazetteer.server').look_again()
  vim.lsp.enable(NAME)
  vim.iter(attached):each(attach)
  M.with(vim.api.nvim_get_current_buf(), function(client)
    M.say(('the server is there again for %s.'):format(client.root_dir))
  end)
end

return M
