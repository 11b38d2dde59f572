import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { makeLinter } from '../../tools/prose-lint/lint.ts'
import { type Passage, passagesOfSource } from '../../tools/prose-lint/passages.ts'
import { growths, lowered, writtenCounts } from '../../tools/prose-lint/record.ts'

const linter = makeLinter('| STAN | System trace audit number |')

async function rulesFor(kind: Passage['kind'], markdown: string): Promise<string[]> {
  const findings = await linter.lint('a.md', [{ kind, line: 1, markdown }])
  return findings.map(({ rule }) => rule)
}

const words = (count: number) => Array.from({ length: count }, (_, at) => `w${at}`).join(' ')

suite('the rules of prose', () => {
  const faulty: readonly (readonly [rule: string, markdown: string])[] = [
    ['sentence-length', `${words(26)}.`],
    ['sentence-length', `Short. ${words(25)} \`some code\`.`],
    ['sentence-length', `- ${words(20)} [six words are all in here](page.md).`],
    ['headless-opening', 'Who refunds too much is refused.'],
    ['headless-opening', 'It works. What is held expires.'],
    ['headless-opening', '# What an answer promises'],
    ['headless-opening', '**Where the file is missing**, the gateway stops.'],
    ['headless-opening', 'That the log is read is recorded.'],
    ['headless-opening', 'Whose card it is decides the issuer.'],
    ['doubled-word', 'The bank answers the the request.'],
    ['doubled-word', '| a | b |\n|---|---|\n| is is | no |'],
    ['undefined-abbreviation', 'The QZX decides.'],
    ['terminology', "It can't be read."],
    ['terminology', 'It can not be read.'],
    ['terminology', 'The amount was given back.'],
    ['terminology', 'The bank is told the amount.'],
    ['terminology', 'The door is open.'],
    ['terminology', '| Field | Meaning |\n|---|---|\n| `A` | tells the bank |'],
  ]
  for (const [rule, markdown] of faulty) {
    test(`the guard bites: ${rule} in ${JSON.stringify(markdown.slice(0, 60))}`, async () => {
      assert.deepEqual(await rulesFor('document', markdown), [rule])
    })
  }

  const fine: readonly string[] = [
    `${words(25)}.`,
    `${words(20)}, \`code of many words counts as one\`, ${words(4)}.`,
    `See config.ts, e.g. line 5. ${words(20)}.`,
    `| a |\n|---|\n| ${words(40)} |`,
    `\`\`\`\nWho is told? ${words(40)}\n\`\`\``,
    'Who may refund? An administrator.',
    'Where possible, use a token.',
    'That is why the lock comes first.',
    'The user whose session expired signs in.',
    '| What | Who |\n|---|---|\n| a | b |',
    'The field `told` is read, and so is `can not`.',
    'The system trace audit number (QZX) is new. The QZX decides.',
    'QZX (quite zealous exchange) is new.',
    'The bank counts the STAN, and HTTP carries JSON.',
    '`QZX` is the name of a field, and so is ORDER_QZX.',
    'They had 5 5-digit codes.',
    'Each actor reacts to an action.',
    'The indoor terminal is a newsletter.',
    'It is recommended to amend what was recommended.',
  ]
  for (const markdown of fine) {
    test(`nothing is found in ${JSON.stringify(markdown.slice(0, 60))}`, async () => {
      assert.deepEqual(await rulesFor('document', markdown), [])
    })
  }

  test('a comment may hold names of fields in capitals, and a portal text may not', async () => {
    assert.deepEqual(await rulesFor('comment', 'The QZX decides.'), [])
    assert.deepEqual(await rulesFor('portal text', 'The QZX decides.'), ['undefined-abbreviation'])
  })

  test('an abbreviation is reported once a file', async () => {
    const rules = await rulesFor('document', 'The QZX decides.\n\nThe QZX answers.')
    assert.deepEqual(rules, ['undefined-abbreviation'])
  })
})

suite('prose in TypeScript', () => {
  const passages = (text: string, scope: 'sentences' | 'words' = 'sentences') =>
    passagesOfSource('a.tsx', text, { kind: 'message', scope }).map(
      ({ kind, line, markdown }) => `${line} ${kind}: ${markdown}`,
    )

  test('comments are read by paragraphs, and lines that follow each other as one', () => {
    const text =
      '// One\n// sentence.\n\n/**\n * A first.\n *\n * A second\n * line.\n * @returns a row\n */\n'
    assert.deepEqual(passages(text), [
      '1 comment: One sentence.',
      '5 comment: A first.',
      '7 comment: A second line.',
      '9 comment: a row',
    ])
  })

  test('a comment at the end of a line is not joined to the one below it', () => {
    assert.deepEqual(passages('a() // One.\n// Two.\n'), ['1 comment: One.', '2 comment: Two.'])
  })

  test('directives of tools are no prose', () => {
    assert.deepEqual(passages('// oxlint-disable-next-line no-console -- can not be seen\n'), [])
  })

  test('names of tests and suites are read, also from templates and methods', () => {
    const text = "suite('the bank', () => {\n  t.test(`it ${verb} twice`, () => {})\n})\n"
    assert.deepEqual(
      passages(text),
      ['2 test name: it `value` twice', '1 test name: the bank'].toSorted(),
    )
  })

  test('sentences in strings are read, with what is added to them', () => {
    const text =
      "throw new Error('The file ' + path + ' cannot be read.')\nconst a = 'to be or not'\n"
    assert.deepEqual(passages(text), ['1 message: The file `value` cannot be read.'])
    assert.deepEqual(passages("const a = 'three small words'\n", 'words'), [
      '1 message: three small words',
    ])
  })

  test('SQL, addresses and names are no prose', () => {
    const text = [
      "query('select a, b from orders where id = $1')",
      "query('update orders set state = 1 where id in (1)')",
      "get('/books/orders and more of it')",
      "import a from 'some long name here'",
    ]
    assert.deepEqual(passages(text.join('\n'), 'words'), [])
  })

  test('the text of an element is one sentence, with its inline elements and values', () => {
    const page =
      '<p title="a tip for you">\n  Refund <b>{amount}</b> to {" "}\n  <a>the card</a>.\n</p>'
    assert.deepEqual(passages(`const a = ${page}\n`, 'words').toSorted(), [
      '1 message: Refund `value` to the card.',
      '1 message: a tip for you',
    ])
  })
})

suite('the record of findings', () => {
  test('the guard bites: a number that has grown, and a file that is new with findings', () => {
    assert.deepEqual(growths({ 'a.md': 2, 'b.md': 2 }, { 'a.md': 3, 'b.md': 1, 'c.md': 1 }), [
      'a.md: 3 findings, and 2 on record',
      'c.md: 1 findings, and 0 on record',
    ])
  })

  test('lowering takes smaller numbers and raises none', () => {
    const recorded = { 'a.md': 2, 'b.md': 2, 'gone.md': 4 }
    assert.deepEqual(lowered(recorded, { 'a.md': 3, 'b.md': 1, 'new.md': 7 }), {
      'a.md': 2,
      'b.md': 1,
    })
  })

  test('an empty record is written as an empty object', () => {
    assert.equal(writtenCounts({ 'a.md': 0 }), '{}\n')
  })
})
