--- Which tree a buffer belongs to: the nearest folder above it that holds a marker or is registered under a name, as
--- the command line finds it. The home folder and `/` are not taken for a marker in them: a file opened in passing must
--- not index everything that a person has.

local M = {}

--- The name of a file, or nil for what is none: terminals, listings, texts of other schemes, texts without a name.
---@param bufnr integer
---@return string?
function M.file_of(bufnr)
  local name = vim.api.nvim_buf_get_name(bufnr)
  if name == '' or vim.bo[bufnr].buftype ~= '' or name:match('^%a[%w+.-]+://') then
    return nil
  end
  return name
end

--- The user's configuration folder, where the server has it.
local function folder_of_user()
  local folder = vim.env.XDG_CONFIG_HOME
  if not folder or vim.trim(folder) == '' then
    folder = vim.fn.has('mac') == 1 and '~/Library/Application Support' or '~/.config'
  end
  return vim.fs.joinpath(vim.fs.normalize(folder), 'gazetteer')
end

--- The real paths of the trees that are registered now. What makes no sense in the registry is the server's to name.
---@return table<string, true>
local function registered()
  local folder, found = folder_of_user(), {}
  local path = vim.fs.joinpath(folder, 'projects.json')
  local is_file = (vim.uv.fs_stat(path) or {}).type == 'file' -- a pipe of that name would be waited for
  local file = is_file and io.open(path, 'r')
  if not file then
    return found
  end
  local ok, entries = pcall(function()
    return vim.json.decode(file:read('*a'))
  end)
  file:close()
  local set = vim.tbl_get(vim.lsp.config.gazetteer or {}, 'settings', 'gazetteer', 'corpusRoot')
  local start = set or vim.env.GAZETTEER_CORPUS_ROOT or ''
  start = start == '' and folder or vim.fs.normalize(start)
  for _, entry in pairs(ok and type(entries) == 'table' and entries or {}) do
    local tree = type(entry) == 'table' and entry.path
    if type(tree) == 'string' and tree ~= '' then
      tree = vim.fs.normalize(tree)
      local real = vim.uv.fs_realpath(tree:sub(1, 1) == '/' and tree or vim.fs.joinpath(start, tree))
      found[real or ''] = real and true or nil
    end
  end
  return found
end

---@param path string a folder or a file
---@return string? root
function M.above(path)
  local config = vim.lsp.config.gazetteer or {}
  local markers = vim.iter(config.root_markers or {}):flatten(math.huge):totable()
  local broad = { ['/'] = true, [vim.fs.normalize('~')] = true }
  local function has_marker(folder)
    return not broad[folder]
      and vim.iter(markers):any(function(marker)
        return vim.uv.fs_lstat(vim.fs.joinpath(folder, marker)) ~= nil
      end)
  end
  local roots = registered()
  local function is_root(folder)
    return has_marker(folder) or (next(roots) and roots[vim.uv.fs_realpath(folder) or ''])
  end
  path = vim.fs.normalize(path)
  if is_root(path) then
    return path
  end
  return vim.iter(vim.fs.parents(path)):find(is_root)
end

---@param bufnr integer
---@return string? root nil for what is no file, and for a file in no tree
function M.of_buffer(bufnr)
  local file = M.file_of(bufnr)
  return file and M.above(file)
end

--- The tree that a question is about when it is asked from `bufnr`: the buffer's, else the current folder's.
---@param bufnr integer
---@return string? root
function M.for_question(bufnr)
  return M.of_buffer(bufnr) or M.above(vim.fn.getcwd())
end

return M
