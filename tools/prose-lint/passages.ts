import { parseSync, type Comment } from 'oxc-parser'

/** The place of a passage. `message` is a sentence of a log, an alarm or an error. */
export type PassageKind =
  | 'document'
  | 'comment'
  | 'test name'
  | 'portal text'
  | 'help text'
  | 'message'

/** A piece of prose as Markdown on a single line, or a whole document. */
export interface Passage {
  readonly kind: PassageKind
  /** The line of the file that it begins on, from 1. */
  readonly line: number
  readonly markdown: string
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

/**
 * The string literals of a file that count as prose. Scope `sentences`: those that begin with a
 * capital letter and end with a full stop. Scope `words`: all strings of three words or more. Null:
 * none of them.
 */
export type Literals = { readonly kind: PassageKind; readonly scope: 'sentences' | 'words' } | null

/** A value that is filled in when the program runs. Code in Markdown counts as one word. */
const VALUE = '`value`'

/** The prose of a TypeScript or JavaScript file: comments, test names, sentences in literals. */
export function passagesOfSource(path: string, text: string, literals: Literals): Passage[] {
  const { program, comments, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message ?? ''}`)
  const lineAt = lineFinder(text)
  const found: Passage[] = passagesOfComments(text, comments, lineAt)
  const add = (kind: PassageKind, node: Node, prose: string) => {
    const markdown = prose.replaceAll(/\s+/g, ' ').trim()
    if (markdown !== '') found.push({ kind, line: lineAt(node.start), markdown })
  }
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit)
    if (!isNode(value)) return
    if (SKIPPED.has(value.type)) return
    const name = testNameOf(value)
    if (name !== null) {
      add('test name', name, literalText(name) ?? '')
      return visit((value['arguments'] as unknown[]).slice(1))
    }
    if (literals !== null && hasText(value)) {
      add(literals.kind, value, elementText(value))
      return visit(attributesOf(value))
    }
    const prose = literals === null ? null : literalText(value)
    if (prose !== null && literals !== null) {
      if (isProse(prose, literals.scope)) add(literals.kind, value, escaped(prose))
      return
    }
    Object.values(value).forEach(visit)
  }
  visit(program)
  return found.sort((a, b) => a.line - b.line)
}

/** Imports, and types: their literals are names. */
const SKIPPED = new Set(['ImportDeclaration', 'ExportAllDeclaration', 'TSTypeAnnotation'])

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value
}

function lineFinder(text: string): (offset: number) => number {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    let low = 0
    let high = starts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
}

const TEST_FUNCTIONS = new Set(['test', 'suite', 'it', 'describe'])

/** The first argument of `test(...)`, `suite(...)`, `t.test(...)` and the like. */
function testNameOf(node: Node): Node | null {
  if (node.type !== 'CallExpression') return null
  const callee = node['callee']
  const called = isNode(callee) && callee.type === 'MemberExpression' ? callee['property'] : callee
  if (!isNode(called) || !TEST_FUNCTIONS.has(String(called['name']))) return null
  const [first] = node['arguments'] as unknown[]
  return isNode(first) && literalText(first)?.includes(' ') === true ? first : null
}

/** The text of a string, a template, or strings that are added up; null for other nodes. */
function literalText(node: unknown): string | null {
  if (!isNode(node)) return null
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : null
  if (node.type === 'TemplateLiteral') {
    const quasis = node['quasis'] as { value: { cooked: string | null } }[]
    return quasis.map(({ value }) => value.cooked ?? '').join(VALUE)
  }
  if (node.type !== 'BinaryExpression' || node['operator'] !== '+') return null
  const [left, right] = [literalText(node['left']), literalText(node['right'])]
  if (left === null && right === null) return null
  return `${left ?? VALUE}${right ?? VALUE}`
}

function isProse(text: string, scope: 'sentences' | 'words'): boolean {
  if (
    SQL.test(text) ||
    /::\w|\bcase when\b|\barray_\w|\bcount ?\(/.test(text) ||
    /[<>{}=;]\s*$|^\s*[<{#./]/.test(text)
  )
    return false
  const words = text
    .split(/\s+/)
    .filter((word) => /^[("]?[A-Za-z][A-Za-z'-]*[)",.:;!?]*$/.test(word))
  if (words.length < 3) return false
  return scope === 'words' || /^\W*[A-Z`][\s\S]*[.!?]["')]?\s*$/.test(text)
}

const SQL_VERBS =
  'select|insert|update|delete|with|create|alter|drop|set|begin|lock|grant|revoke|copy|declare'
const SQL_CLAUSES =
  'values|from|where|and|or|order by|join|left join|union|on conflict|returning|limit'
const SQL = new RegExp(
  `^\\s*(${SQL_VERBS}|${SQL_CLAUSES})\\b(?=[\\s\\S]*(\\b(from|set|into|values|on)\\b|[=$*(;]))`,
)

/** Escapes signs that Markdown would read as markup, in a text that is shown as it is. */
function escaped(text: string): string {
  return text.replaceAll(/[<>*#[\]]/g, ' ')
}

function hasText(node: Node): boolean {
  if (node.type !== 'JSXElement' && node.type !== 'JSXFragment') return false
  return (node['children'] as Node[]).some(
    (child) => child.type === 'JSXText' && /[A-Za-z]/.test(String(child['value'])),
  )
}

/** The text of an element, including its inline elements. */
function elementText(node: Node): string {
  return (node['children'] as Node[])
    .map((child) => {
      if (child.type === 'JSXText') return escaped(String(child['value']))
      if (child.type === 'JSXExpressionContainer') {
        const literal = literalText(child['expression'])
        return literal === null ? VALUE : escaped(literal)
      }
      return child.type === 'JSXElement' ? elementText(child) || VALUE : VALUE
    })
    .join('')
}

/** Further prose in an element: attributes, and expressions inside it. */
function attributesOf(node: Node): unknown[] {
  const children = (node['children'] as Node[]).flatMap((child) => {
    if (child.type === 'JSXText') return []
    if (child.type === 'JSXElement' && hasText(child)) return attributesOf(child)
    if (child.type !== 'JSXExpressionContainer') return [child]
    return literalText(child['expression']) === null ? [child] : []
  })
  return [node['openingElement'], ...children]
}

const DIRECTIVE = /^\s*(oxlint|eslint|@ts-|#__|@vitest|@type\b|istanbul|c8 )/

/** Each paragraph of a comment. Lines of `//` that follow each other are one comment. */
function passagesOfComments(
  text: string,
  comments: readonly Comment[],
  lineAt: (offset: number) => number,
): Passage[] {
  const blocks: { line: number; lines: string[] }[] = []
  let last: { line: number; column: number } | null = null
  for (const { type, value, start, end } of comments) {
    const line = lineAt(start)
    const column = start - text.lastIndexOf('\n', start - 1)
    const own =
      type === 'Line' ? [value] : value.split('\n').map((each) => each.replace(/^\s*\*? ?/, ''))
    const isContinued = type === 'Line' && last?.line === line - 1 && last.column === column
    if (isContinued) blocks.at(-1)?.lines.push(...own)
    else blocks.push({ line, lines: own })
    last = type === 'Line' ? { line: lineAt(end), column } : null
  }
  return blocks.flatMap(({ line, lines }) => paragraphs(line, lines))
}

function paragraphs(first: number, lines: readonly string[]): Passage[] {
  const found: { kind: 'comment'; line: number; markdown: string }[] = []
  let isOpen = false
  lines.forEach((raw, at) => {
    const text = raw.trim()
    const begins = /^([-*] |\d+[.)] |@)/.test(text)
    if (text === '' || DIRECTIVE.test(text)) {
      isOpen = false
    } else if (isOpen && !begins) {
      const open = found.at(-1)
      if (open) open.markdown += ` ${text}`
    } else {
      found.push({ kind: 'comment', line: first + at, markdown: text.replace(/^@\w+\s*/, '') })
      isOpen = true
    }
  })
  return found.filter(({ markdown }) => markdown !== '')
}
