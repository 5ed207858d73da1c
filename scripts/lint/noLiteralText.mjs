// An oxlint rule: user-visible texts come from vscode.l10n.t or the webview's t(), never from a literal.

/** Names of properties, options and attributes whose value the user sees or a screen reader reads out. */
const SHOWN = new Set(
  (
    'title tooltip label detail description placeHolder placeholder prompt message text openLabel saveLabel ' +
    'ariaLabel alt aria-label aria-description aria-roledescription aria-valuetext accessibilityInformation'
  ).split(' '),
);
const SHOWING_CALL = /^(?:show\w+Message|setStatusBarMessage)$/;
/** A name that is not translated. */
const PROPER_NAME = /^Tiller$/;
const CODICON = /\$\([\w~-]+\)/g;
const IDENTIFIER = /^[\w-]+(?:[.:/][\w-]+)+$/;

/** @param {string} text */
function isForUsers(text) {
  const words = text.replace(CODICON, '').trim();
  return /\p{L}{2,}/u.test(words) && !PROPER_NAME.test(words) && !IDENTIFIER.test(words);
}

const rule = {
  meta: { type: 'problem', messages: { literal: 'Users see "{{text}}": take it from l10n.t or t().' } },
  create(context) {
    /** Reports the literals that `node` may evaluate to. */
    const check = (node) => {
      if (!node) return;
      if (node.type === 'JSXExpressionContainer') check(node.expression);
      else if (node.type === 'ConditionalExpression') [node.consequent, node.alternate].forEach(check);
      else if (node.type === 'LogicalExpression') [node.left, node.right].forEach(check);
      else if (node.type === 'BinaryExpression' && node.operator === '+') [node.left, node.right].forEach(check);
      else if (node.type === 'TemplateLiteral') checkText(node, node.quasis.map((quasi) => quasi.value.raw).join(' '));
      else if (node.type === 'Literal' && typeof node.value === 'string') checkText(node, node.value);
    };
    const checkText = (node, text) => {
      if (isForUsers(text)) context.report({ node, messageId: 'literal', data: { text: text.trim() } });
    };
    return {
      JSXText: (node) => checkText(node, node.value),
      JSXAttribute: (node) => SHOWN.has(node.name.name) && check(node.value),
      JSXExpressionContainer: (node) => node.parent.type !== 'JSXAttribute' && check(node.expression),
      CallExpression: (node) => {
        if (SHOWING_CALL.test(nameOf(node.callee.property ?? node.callee))) node.arguments.forEach(check);
      },
      Property: (node) => !node.computed && SHOWN.has(nameOf(node.key)) && check(node.value),
      AssignmentExpression: (node) => {
        if (node.left.type === 'MemberExpression' && SHOWN.has(nameOf(node.left.property))) check(node.right);
      },
    };
  },
};

function nameOf(node) {
  return node.name ?? node.value ?? '';
}

export default { meta: { name: 'tiller' }, rules: { 'no-literal-text': rule } };
