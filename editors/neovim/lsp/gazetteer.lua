--- The language server as Neovim knows it: `vim.lsp.enable('gazetteer')` needs nothing else.
--- It is data with doors: what happens behind them lives in `lua/gazetteer/`.

return {
  cmd = function(dispatchers, config)
    return require('gazetteer.server').start(dispatchers, config)
  end,
  -- no filetypes: every text of a tree may be asked about
  root_markers = { '.git', 'knowledge.yaml' },
  root_dir = function(bufnr, on_dir)
    local root = require('gazetteer.root').of_buffer(bufnr)
    if root and require('gazetteer.server').is_there() then
      on_dir(root)
    end
  end,
  workspace_required = true,
  flags = {
    -- A request sends the pending edits of its own buffer only; an edit that waits in another would be missed.
    debounce_text_changes = 0,
  },
  capabilities = {
    experimental = {
      -- a link in a hover card is hidden, cannot be followed, and its length breaks the line early: none, please
      gazetteer = { view = true, clipboard = true, status = true, links = false },
    },
  },
  before_init = function(params, config)
    -- one place for settings: what workspace/configuration gives is there from the first moment
    params.initializationOptions = params.initializationOptions or (config.settings or {}).gazetteer
  end,
  on_init = function(client)
    require('gazetteer.client').ready(client)
  end,
  on_exit = function(_, _, client_id)
    vim.schedule(function()
      require('gazetteer.client').gone(client_id)
    end)
  end,
  handlers = {
    ['gazetteer/didChangeStatus'] = function(_, params, ctx)
      require('gazetteer.status').changed(params, ctx.client_id)
    end,
  },
  commands = {
    ['gazetteer.view'] = function(command, ctx)
      require('gazetteer.questions').view(command.arguments[1], ctx)
    end,
    ['gazetteer.copy'] = function(command)
      require('gazetteer.questions').copy(command.arguments[1].text)
    end,
  },
}
