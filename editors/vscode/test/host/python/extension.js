// The selected environment is the one that the server under test lies in.
const path = require("node:path");
const vscode = require("vscode");

exports.activate = () => {
  const interpreter = path.join(path.dirname(process.env.GAZETTEER_TEST_SERVER), "python");
  return {
    environments: {
      getActiveEnvironmentPath: () => ({ id: interpreter, path: interpreter }),
      resolveEnvironment: async () => ({ executable: { uri: vscode.Uri.file(interpreter) } }),
      onDidChangeActiveEnvironmentPath: new vscode.EventEmitter().event,
    },
  };
};
