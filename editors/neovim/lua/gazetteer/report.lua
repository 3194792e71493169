--- Answers that are read instead of picked: plans, states, maps' absence. Plain lines in a window of their own.

local M = {}

local function plain(text)
  return require('gazetteer.client').plain(text)
end

--- Show lines in a split that `q` closes.
---@param title string
---@param lines string[]
function M.show(title, lines)
  vim.cmd('botright new')
  local buf = vim.api.nvim_get_current_buf()
  vim.bo[buf].buftype = 'nofile'
  vim.bo[buf].bufhidden = 'wipe'
  vim.bo[buf].swapfile = false
  vim.bo[buf].modeline = false
  pcall(vim.api.nvim_buf_set_name, buf, ('gazetteer://%d/%s'):format(buf, plain(title):gsub('[/%s]+', '-')))
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
  vim.api.nvim_win_set_height(0, math.max(1, math.min(#lines, math.floor(vim.o.lines / 2))))
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buf, nowait = true })
end

--- The plan of a question and why each hit stands where it stands.
---@param question string
---@param answer table
function M.explanation(question, answer)
  local plan = answer.plan
  local lines = { plain(question), '', ('%s, confidence %.2f'):format(plan.queryClass, plan.confidence) }
  local function line(format, ...)
    table.insert(lines, plain(format:format(...)))
  end
  line('terms  %s', table.concat(plan.terms or {}, ' '))
  for _, step in ipairs(plan.steps or {}) do
    local cost = step.chosen and ('  %d found, %.1f ms'):format(step.found, step.costMs) or ''
    line('%s %s  %s  [%s]%s', step.chosen and '+' or '-', step.strategy, step.reason, step.rule, cost)
  end
  for _, route in ipairs(plan.routing or {}) do
    local came = route.chosen and ('  %d found, %d shown, %.1f ms'):format(route.found, route.shown, route.costMs) or ''
    local mark = route.chosen and '+' or '-'
    line('%s %s (%s)  %s  [%s]%s', mark, route.corpus, route.standing, route.reason, route.rule, came)
  end
  for _, gap in ipairs(plan.gaps or {}) do
    line('gap: %s', gap)
  end
  for number, evidence in ipairs(answer.evidence or {}) do
    table.insert(lines, '')
    line('%d %s', number, evidence.citation)
    line('  %s %.4f', evidence.score.kind, evidence.score.value)
    for _, signal in ipairs(evidence.signals or {}) do
      local score = ('%s %.3f'):format(signal.score.kind, signal.score.value)
      line('  %s: rank %d, %s  %s', signal.via, signal.rank, score, signal.reason or '')
    end
    for name, worth in vim.spairs(evidence.features or {}) do
      line('  %+.3f %s', worth, name)
    end
  end
  M.show('explain', lines)
end

---@param counts table<string, integer>
---@return string
local function counted(counts)
  local names = vim.tbl_keys(counts)
  table.sort(names, function(a, b)
    return counts[a] > counts[b] or (counts[a] == counts[b] and a < b)
  end)
  return table.concat(
    vim.tbl_map(function(name)
      return ('%s %d'):format(name, counts[name])
    end, names),
    ', '
  )
end

--- How an index is, for people.
---@param status table
function M.state(status)
  local refused = {}
  for _, one in ipairs(status.refused or {}) do
    refused[one.reason] = one.count
  end
  local swept = status.sweepAgeMs and ('%.1f seconds ago'):format(status.sweepAgeMs / 1000) or 'not known'
  local lines = {}
  for _, row in ipairs({
    { 'tree', status.root },
    { 'state', status.state .. ((status.reason or '') ~= '' and ', ' .. status.reason or '') },
    { 'generation', ('%d'):format(status.generation) },
    { 'last sweep', swept },
    { 'documents', ('%d (%s)'):format(status.documents, counted(status.languages or {})) },
    { 'chunks', ('%d, symbols %d'):format(status.chunks, status.symbols) },
    { 'left out', counted(refused) },
    { 'partial', status.partial },
    { 'last error', status.lastError },
    { 'index', ('%s, %.1f MB'):format(status.dbPath, status.indexBytes / 1024 / 1024) },
  }) do
    if (row[2] or '') ~= '' then
      table.insert(lines, plain(('%-11s %s'):format(row[1], row[2])))
    end
  end
  M.show('status', lines)
end

--- Any answer as `name: value` lines, nested ones indented.
---@param title string
---@param answer table
function M.data(title, answer)
  M.show(title, M.lines(answer))
end

---@param value any
---@param indent? string
---@param lines? string[]
---@return string[]
function M.lines(value, indent, lines)
  indent, lines = indent or '', lines or {}
  for key, part in vim.spairs(value) do
    local name = type(key) == 'number' and '-' or plain(key) .. ':'
    if type(part) == 'table' then
      if next(part) ~= nil then
        table.insert(lines, indent .. name)
        M.lines(part, indent .. '  ', lines)
      end
    elseif part ~= vim.NIL then
      table.insert(lines, ('%s%s %s'):format(indent, name, plain(part)))
    end
  end
  return lines
end

return M
