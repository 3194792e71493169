--- Which tree a buffer belongs to: the nearest folder above it that holds a marker, as the command line finds it.
--- The home folder and `/` are never taken: a file opened in passing must not index everything that a person has.

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
  path = vim.fs.normalize(path)
  if has_marker(path) then
    return path
  end
  return vim.iter(vim.fs.parents(path)):find(has_marker)
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
