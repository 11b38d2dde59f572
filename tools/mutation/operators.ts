/** A node of the parsed source, as far as it is read here. */
export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

/** The code from `start` to `end` becomes `by`. */
export interface Replacement {
  readonly start: number
  readonly end: number
  readonly by: string
}

type Operator = (node: Node, parent: Node | null, text: string) => readonly Replacement[]

/** The other operators that a comparison or calculation is given. */
const OTHER_OPERATORS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    '<': ['<=', '>='],
    '<=': ['<', '>'],
    '>': ['>=', '<='],
    '>=': ['>', '<'],
    '===': ['!=='],
    '!==': ['==='],
    '+': ['-'],
    '-': ['+'],
    '*': ['/'],
    '/': ['*'],
    '%': ['*'],
    '**': ['*'],
  }),
)

const OTHER_ASSIGNMENTS: ReadonlyMap<string, string> = new Map([
  ['+=', '-='],
  ['-=', '+='],
  ['??=', '='],
])

const OTHER_METHODS: ReadonlyMap<string, string> = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['min', 'max'],
  ['max', 'min'],
  ['startsWith', 'endsWith'],
  ['endsWith', 'startsWith'],
  ['padStart', 'padEnd'],
  ['padEnd', 'padStart'],
  ['ceil', 'floor'],
  ['floor', 'ceil'],
])

/** Calls that are left out: their object takes the place of their result. */
const LEFT_OUT = new Set(['filter', 'toSorted', 'toReversed', 'trim', 'toUpperCase', 'toLowerCase'])

const OPERATORS: Readonly<Record<string, Operator>> = {
  BinaryExpression: (node, _parent, text) => {
    const [left, right] = [part(node, 'left'), part(node, 'right')]
    const operator = String(node['operator'])
    if (operator === '+' && (isText(left) || isText(right))) return []
    return (OTHER_OPERATORS.get(operator) ?? []).map((other) =>
      operatorBy(left, right, other, text),
    )
  },
  LogicalExpression: (node, _parent, text) => {
    const [left, right] = [part(node, 'left'), part(node, 'right')]
    const { start, end } = node
    const kept = [code(left, text), code(right, text)].map((by) => ({ start, end, by }))
    if (node['operator'] === '??') return isForCompiler(left, right, text) ? [] : kept.slice(0, 1)
    const other = node['operator'] === '&&' ? '||' : '&&'
    // A change of the operator alone could mix it with `??`, so both sides get parentheses.
    const by = `((${code(left, text)}) ${other} (${code(right, text)}))`
    return [{ start, end, by }, ...kept]
  },
  ConditionalExpression: (node, _parent, text) => {
    const { start, end } = node
    const [yes, no] = [part(node, 'consequent'), part(node, 'alternate')]
    const by = `(${code(part(node, 'test'), text)}) ? (${code(no, text)}) : (${code(yes, text)})`
    return [{ start, end, by: `(${by})` }]
  },
  IfStatement: (node) => {
    const { start, end } = part(node, 'test')
    return ['true', 'false'].map((by) => ({ start, end, by }))
  },
  WhileStatement: (node) => {
    const { start, end } = part(node, 'test')
    return [{ start, end, by: 'false' }]
  },
  UnaryExpression: (node, _parent, text) => {
    const { start, end } = node
    if (node['operator'] !== '!' && node['operator'] !== '-') return []
    return [{ start, end, by: `(${code(part(node, 'argument'), text)})` }]
  },
  Literal: (node, parent) => literal(node, parent),
  AssignmentExpression: (node, _parent, text) => {
    const other = OTHER_ASSIGNMENTS.get(String(node['operator']))
    if (other === undefined) return []
    return [operatorBy(part(node, 'left'), part(node, 'right'), other, text)]
  },
  UpdateExpression: (node, _parent, text) => {
    const { start, end } = node
    const by = code(node, text).replace(/\+\+|--/, (sign) => (sign === '++' ? '--' : '++'))
    return [{ start, end, by }]
  },
  CallExpression: (node, _parent, text) => {
    const callee = part(node, 'callee')
    if (callee.type !== 'MemberExpression' || callee['computed'] === true) return []
    const [object, property] = [part(callee, 'object'), part(callee, 'property')]
    const name = String(property['name'])
    const other = OTHER_METHODS.get(name)
    if (other !== undefined) return [{ start: property.start, end: property.end, by: other }]
    if (!LEFT_OUT.has(name)) return []
    return [{ start: node.start, end: node.end, by: code(object, text) }]
  },
  ExpressionStatement: (node, parent) => {
    const { start, end } = node
    const isDirective = typeof node['directive'] === 'string'
    return isDirective || parent?.type === 'Program' ? [] : [{ start, end, by: '{}' }]
  },
  ThrowStatement: ({ start, end }) => [{ start, end, by: '{}' }],
}

/** The replacements of one node; those of the nodes in it come from their own visits. */
export function replacementsOf(
  node: Node,
  parent: Node | null,
  text: string,
): readonly Replacement[] {
  return OPERATORS[node.type]?.(node, parent, text) ?? []
}

function literal(node: Node, parent: Node | null): readonly Replacement[] {
  const { start, end, value } = node
  const all = (...by: string[]): Replacement[] => by.map((each) => ({ start, end, by: each }))
  if (typeof value === 'boolean') return all(String(!value))
  if (typeof node['bigint'] === 'string') {
    const number = BigInt(node['bigint'])
    return number === 0n ? all('1n') : all(`${number + 1n}n`, `${number - 1n}n`)
  }
  if (typeof value === 'number' && Number.isInteger(value)) {
    return value === 0 ? all('1') : all(String(value + 1), String(value - 1))
  }
  if (isRegExp(node)) return pattern(node)
  return typeof value === 'string' && isMeaningful(node, parent) ? all(`''`) : []
}

/**
 * A fallback of nothing after an index, such as `digits[at] ?? ''`: the compiler asks for it where
 * the index always exists.
 */
function isForCompiler(left: Node, right: Node, text: string): boolean {
  const isIndex = left.type === 'MemberExpression' && left['computed'] === true
  return isIndex && ["''", '0', '0n', '[]'].includes(code(right, text))
}

/** Without its anchors a pattern lets more texts through. */
function pattern(node: Node & { readonly regex: { pattern: string; flags: string } }) {
  const { start, end } = node
  const { pattern: body, flags } = node.regex
  const others = [
    ...(body.startsWith('^') ? [body.slice(1)] : []),
    ...(body.endsWith('$') && !body.endsWith('\\$') ? [body.slice(0, -1)] : []),
  ]
  return others.filter((each) => each !== '').map((by) => ({ start, end, by: `/${by}/${flags}` }))
}

/** A text that a decision compares or returns; sentences for people are none of that. */
function isMeaningful(node: Node, parent: Node | null): boolean {
  if (parent === null || !/^[\w.:-]+$/.test(String(node['value']))) return false
  if (parent.type === 'BinaryExpression') return /^[!=]==$/.test(String(parent['operator']))
  if (parent.type === 'Property') return parent['value'] === node
  const isCase = parent.type === 'SwitchCase' && parent['test'] === node
  const returns = [
    'ReturnStatement',
    'ConditionalExpression',
    'ArrayExpression',
    'ArrowFunctionExpression',
  ]
  return isCase || returns.includes(parent.type)
}

function isRegExp(
  node: Node,
): node is Node & { readonly regex: { pattern: string; flags: string } } {
  return typeof node['regex'] === 'object' && node['regex'] !== null
}

function isText({ type, value }: Node): boolean {
  return type === 'TemplateLiteral' || typeof value === 'string'
}

function operatorBy(left: Node, right: Node, by: string, text: string): Replacement {
  const between = text.slice(left.end, right.start)
  // Parentheses around an operand lie outside its node, and stay.
  const [before = '', after = ''] = between.split(/[^\s()]+/)
  return { start: left.end, end: right.start, by: `${before}${by}${after}` }
}

function part(node: Node, key: string): Node {
  return node[key] as Node
}

function code({ start, end }: Node, text: string): string {
  return text.slice(start, end)
}
