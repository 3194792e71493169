// The part of the Python extension's public interface that is used: an environment is selected as other extensions do it.
const path = require("node:path");
const vscode = require("vscode");

let selected = { id: "", path: "" };

exports.activate = () => {
  const changed = new vscode.EventEmitter();
  return {
    environments: {
      getActiveEnvironmentPath: () => selected,
      resolveEnvironment: async ({ path: interpreter }) =>
        interpreter ? { executable: { uri: vscode.Uri.file(interpreter) } } : undefined,
      updateActiveEnvironmentPath: async (environment, resource) => {
        selected = { id: environment, path: path.join(environment, "bin/python") };
        changed.fire({ ...selected, resource });
      },
      onDidChangeActiveEnvironmentPath: changed.event,
    },
  };
};
