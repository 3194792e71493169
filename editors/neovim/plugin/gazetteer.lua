--- What is there before anything is asked: the command, the mappings' names, and a look at buffers without a filetype.
--- Nothing of `lua/gazetteer/` is loaded until it is used.

if vim.g.loaded_gazetteer then
  return
end
vim.g.loaded_gazetteer = true

if vim.fn.has('nvim-0.11') == 0 then
  vim.notify_once('gazetteer: Neovim 0.11 or newer is needed; update Neovim.', vim.log.levels.ERROR)
  return
end

vim.api.nvim_create_user_command('Gazetteer', function(args)
  require('gazetteer.commands').run(args)
end, {
  nargs = '*',
  range = true,
  bang = true,
  desc = 'Ask the knowledge base of this tree',
  complete = function(...)
    return require('gazetteer.commands').complete(...)
  end,
})

for name, plug in pairs({ ask = 'ask', related = 'related', callers = 'callers', notes = 'notes' }) do
  vim.keymap.set({ 'n', 'x' }, ('<Plug>(gazetteer-%s)'):format(plug), function()
    require('gazetteer.commands').mapped(name)
  end, { desc = 'Gazetteer: ' .. name })
end

local group = vim.api.nvim_create_augroup('gazetteer', {})

-- `vim.lsp.enable` listens for filetypes; a text without one would stay unseen, and with it what is unsaved in it.
vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile', 'BufFilePost', 'BufWritePost' }, {
  group = group,
  desc = 'Show texts without a filetype to Gazetteer',
  callback = function(args)
    if vim.bo[args.buf].buftype == '' and vim.lsp._enabled_configs.gazetteer then
      vim.schedule(function()
        require('gazetteer.client').attach_unknown(args.buf)
      end)
    end
  end,
})

vim.api.nvim_create_autocmd('BufWritePost', {
  group = group,
  desc = 'Tell Gazetteer of the end of the last line that writing has added',
  callback = function(args)
    if not vim.bo[args.buf].endofline and vim.bo[args.buf].fixendofline and not vim.bo[args.buf].binary then
      require('gazetteer.client').line_end_added(args.buf)
    end
  end,
})

vim.api.nvim_create_autocmd('LspProgress', {
  group = group,
  desc = 'Show what Gazetteer is doing in the message area',
  callback = function(args)
    local client = vim.lsp.get_client_by_id(args.data.client_id)
    if client and client.name == 'gazetteer' then
      require('gazetteer.status').progress(args.data.params)
    end
  end,
})
