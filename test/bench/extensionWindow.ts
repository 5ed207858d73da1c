/** The model and the panel of the end-to-end tests, for extension.mjs, which runs in Node as it is. */
export { Panel } from '../e2e/support/panel.ts';
export { ScriptedModel } from '../e2e/support/model.ts';
export { calls, says, waits } from '../support/modelServer.ts';
