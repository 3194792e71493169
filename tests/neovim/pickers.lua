-- Stand-ins for three plugins that show lists, as far as their documents say what is given to them. A key that these do
-- not name is an error here, where the plugin would pass it over in silence; everything else of a plugin is missing.
--   snacks.nvim docs/picker.md; telescope.nvim developers.md and doc/telescope.txt; fzf-lua doc/fzf-lua.txt
-- `picked` is what a person sees of the list, and what they can do: look(number), choose(number, how).

picked = nil

local function only(given, known, what)
  for key in pairs(given) do
    assert(vim.list_contains(known, key), ('%s does not know %s'):format(what, key))
  end
  return given
end

package.preload['snacks'] = function()
  local function pick(options)
    only(options, { 'title', 'items', 'format', 'preview', 'confirm' }, 'snacks.picker')
    assert(options.preview == 'preview')
    local open = true
    local picker = { close = function() open = false end }
    local texts = vim.tbl_map(function(item)
      assert(vim.fn.filereadable(item.file) == 1 and #item.pos == 2)
      only(item.preview, { 'text', 'ft', 'loc', 'extmarks' }, 'the preview of an item')
      assert(type(item.text) == 'string')
      local shown = {}
      for _, part in ipairs(options.format(item, picker)) do
        shown[#shown + 1] = part[1]
      end
      return table.concat(shown)
    end, options.items)
    picked = {
      title = options.title,
      texts = texts,
      look = function(number)
        return vim.split(options.items[number].preview.text, '\n')
      end,
      choose = function(number, how)
        options.confirm(picker, options.items[number], { cmd = how })
        assert(not open)
      end,
    }
  end
  return { picker = { pick = pick } }
end

local action = { select_default = 'edit', select_horizontal = 'split', select_vertical = 'vsplit', select_tab = 'tab' }
local PROMPT = 4711
package.preload['telescope'] = function()
  return {}
end
package.preload['telescope.config'] = function()
  return { values = { generic_sorter = function() return 'sorter' end } }
end
package.preload['telescope.actions.state'] = function()
  return { get_selected_entry = function() return picked.entry end }
end
package.preload['telescope.actions'] = function()
  local actions = { close = function(prompt) picked.closed = prompt == PROMPT end }
  for name, how in pairs(action) do
    actions[name] = { replace = function(_, act) picked.acts[how] = act end }
  end
  return actions
end
package.preload['telescope.previewers'] = function()
  return {
    new_buffer_previewer = function(options)
      return only(options, { 'title', 'define_preview', 'get_buffer_by_name' }, 'a buffer previewer')
    end,
  }
end
package.preload['telescope.finders'] = function()
  return {
    new_table = function(options)
      return vim.tbl_map(options.entry_maker, only(options, { 'results', 'entry_maker' }, 'a finder').results)
    end,
  }
end
package.preload['telescope.pickers'] = function()
  local function find(made)
    picked = { title = made.prompt_title, acts = {}, texts = {} }
    for number, entry in ipairs(made.finder) do
      assert(entry.value and entry.ordinal)
      picked.texts[number] = entry.display
    end
    assert(made.sorter == 'sorter')
    assert(made.attach_mappings(PROMPT, function() end) == true)
    picked.look = function(number, win)
      local bufnr = vim.api.nvim_create_buf(false, true)
      if win then vim.api.nvim_win_set_buf(win, bufnr) end
      made.previewer.define_preview({ state = { bufnr = bufnr, winid = win } }, made.finder[number], {})
      return vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)
    end
    picked.choose = function(number, how)
      picked.entry = made.finder[number]
      picked.acts[how](PROMPT)
      assert(picked.closed)
    end
  end
  return {
    new = function(_, defaults)
      local known = { 'prompt_title', 'finder', 'sorter', 'previewer', 'attach_mappings' }
      return setmetatable(only(defaults, known, 'a picker'), { __index = { find = find } })
    end,
  }
end

package.preload['fzf-lua'] = function()
  local keys = { edit = 'default', split = 'ctrl-s', vsplit = 'ctrl-v', tab = 'ctrl-t' }
  local function fzf_exec(lines, options)
    only(options, { 'winopts', 'fzf_opts', 'preview', 'actions' }, 'fzf_exec')
    assert(options.fzf_opts['--no-multi'])
    picked = {
      title = vim.trim(options.winopts.title),
      texts = lines,
      look = function(number)
        return vim.split(options.preview({ lines[number] }), '\n')
      end,
      choose = function(number, how)
        options.actions[keys[how]]({ lines[number] }, options)
      end,
    }
  end
  return { fzf_exec = fzf_exec }
end
