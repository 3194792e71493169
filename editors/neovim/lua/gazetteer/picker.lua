--- Shows hits in the list that the user has: snacks, Telescope, fzf-lua, a replaced `vim.ui.select`, else our own.
--- Every way shows the text of a hit beside the list and ends at its place.

local results = require('gazetteer.results')

local M = {}

--- `vim.ui.select` with one thing more: `preview_item`, which some replacements know.
---@param items gazetteer.Item[]
---@param title string
local function select(items, title)
  vim.ui.select(items, {
    prompt = title,
    kind = 'gazetteer',
    format_item = function(item)
      return item.text
    end,
    preview_item = function(item)
      return results.excerpt(item)
    end,
  }, function(item)
    if item then
      results.jump(item)
    end
  end)
end

local function builtin(items, title)
  require('gazetteer.window').open(items, title)
end

local function snacks(items, title)
  require('snacks').picker.pick({
    title = title,
    items = vim.tbl_map(function(item)
      local text = table.concat(results.excerpt(item), '\n')
      return {
        text = item.text,
        item = item,
        file = vim.uri_to_fname(item.hit.uri), -- for its own actions, as the quickfix list
        pos = { results.selection(item.hit).start.line + 1, 0 },
        preview = { text = text, ft = vim.filetype.match({ filename = item.hit.path }), loc = false },
      }
    end, items),
    format = function(entry)
      return { { entry.text } }
    end,
    preview = 'preview',
    confirm = function(picker, entry, action)
      picker:close()
      if entry then
        results.jump(entry.item, action and action.cmd)
      end
    end,
  })
end

local function telescope(items, title)
  local actions, state = require('telescope.actions'), require('telescope.actions.state')
  local values = require('telescope.config').values
  local previewer = require('telescope.previewers').new_buffer_previewer({
    title = 'Text',
    define_preview = function(self, entry)
      results.preview(self.state.bufnr, entry.value)
      if self.state.winid then
        results.scroll(self.state.winid, entry.value)
      end
    end,
  })
  local function go(how)
    return function(prompt)
      local entry = state.get_selected_entry()
      actions.close(prompt)
      if entry then
        results.jump(entry.value, how)
      end
    end
  end
  require('telescope.pickers')
    .new({}, {
      prompt_title = title,
      finder = require('telescope.finders').new_table({
        results = items,
        entry_maker = function(item)
          return { value = item, display = item.text, ordinal = item.text }
        end,
      }),
      sorter = values.generic_sorter({}),
      previewer = previewer,
      attach_mappings = function()
        actions.select_default:replace(go('edit'))
        actions.select_horizontal:replace(go('split'))
        actions.select_vertical:replace(go('vsplit'))
        actions.select_tab:replace(go('tab'))
        return true
      end,
    })
    :find()
end

local function fzf_lua(items, title)
  local function of(line)
    return line and items[tonumber(line:match('^%d+'))]
  end
  local function go(how)
    return function(lines)
      local item = of(lines[1])
      if item then
        results.jump(item, how)
      end
    end
  end
  local lines = {}
  for number, item in ipairs(items) do
    lines[number] = ('%d %s'):format(number, item.text)
  end
  require('fzf-lua').fzf_exec(lines, {
    winopts = { title = ' ' .. title .. ' ' },
    fzf_opts = { ['--no-multi'] = true, ['--no-sort'] = true },
    preview = function(selected)
      local item = of(selected[1])
      return item and table.concat(results.excerpt(item), '\n') or ''
    end,
    actions = {
      ['default'] = go('edit'),
      ['ctrl-s'] = go('split'),
      ['ctrl-v'] = go('vsplit'),
      ['ctrl-t'] = go('tab'),
    },
  })
end

---@type {name: string, module?: string, show: fun(items: gazetteer.Item[], title: string)}[] the first that is there
local ways = {
  { name = 'snacks', module = 'snacks', show = snacks },
  { name = 'telescope', module = 'telescope', show = telescope },
  { name = 'fzf-lua', module = 'fzf-lua', show = fzf_lua },
  { name = 'select', show = select },
  { name = 'builtin', show = builtin },
  { name = 'quickfix', show = results.quickfix },
}

local function is_there(way)
  if way.module then
    return (pcall(require, way.module))
  end
  -- Neovim's own select is a numbered list without a preview; ours is better, somebody else's is what the user wants
  local source = debug.getinfo(vim.ui.select, 'S').source
  return way.name ~= 'select' or not source:match('vim/ui%.lua$')
end

--- The name of the list that is used now.
---@return string
function M.which()
  local chosen = require('gazetteer.options').get().picker
  if chosen ~= 'auto' then
    return chosen
  end
  return vim.iter(ways):find(is_there).name
end

---@param items gazetteer.Item[] best first, at least one
---@param title string
function M.show(items, title)
  local name = M.which()
  local way = vim.iter(ways):find(function(one)
    return one.name == name
  end)
  if not is_there(way) and way.module then
    require('gazetteer.client').fail(('%s is not installed; set picker = "auto".'):format(name))
    way = vim.iter(ways):find(is_there)
  end
  way.show(items, title)
end

return M
