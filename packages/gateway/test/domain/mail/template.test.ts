import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { BUILT_IN_TEMPLATES } from '../../../src/domain/mail/built-in-templates.ts'
import { MAIL_KINDS, type MailKindName } from '../../../src/domain/mail/mail-kinds.ts'
import { PLACEHOLDERS } from '../../../src/domain/mail/placeholders.ts'
import {
  htmlOfText,
  markedSubject,
  renderMail,
  templateRefusal,
} from '../../../src/domain/mail/template.ts'

const GOOD = { subject: 'Receipt {{amount}}', text: 'Hello {{first_name}}', html: '' }
const faultOf = (change: Partial<typeof GOOD>): string | undefined =>
  templateRefusal('receipt', { ...GOOD, ...change })?.faults[0]

suite('a template', () => {
  test('with known placeholders is accepted, in each of its texts', () => {
    const all = { subject: '{{order}}', text: '{{card_last4}}', html: '<b>{{amount}}</b>' }
    assert.equal(templateRefusal('receipt', all), null)
  })

  test('with an unknown placeholder is refused with the names that there are', () => {
    assert.equal(
      faultOf({ text: '{{card_number}}' }),
      '{{card_number}} in the text is no placeholder of this mail. There are: {{merchant}}, ' +
        '{{site}}, {{date}}, {{first_name}}, {{last_name}}, {{amount}}, {{currency}}, ' +
        '{{order}}, {{order_id}}, {{card_brand}}, {{card_last4}}.',
    )
  })

  test('with a placeholder of another kind of mail is refused', () => {
    assert.match(faultOf({ subject: '{{next_attempt}}' }) ?? '', /^\{\{next_attempt\}\} in the sub/)
  })

  test('with the name of a member that every object has is refused', () => {
    assert.match(faultOf({ text: '{{constructor}}' }) ?? '', /is no placeholder/)
  })

  for (const text of ['{{amount', 'amount}}', '{{ amount }}', '{{}}']) {
    test(`with the text "${text}" is refused`, () => {
      assert.notEqual(faultOf({ text }), undefined)
    })
  }

  for (const [what, change, expected] of [
    ['no subject', { subject: '  ' }, 'The subject is empty.'],
    ['no text', { text: '' }, 'The text is empty.'],
    [
      'a long subject',
      { subject: 'x'.repeat(201) },
      'The subject has 201 characters; at most 200.',
    ],
    ['a long text', { text: 'x'.repeat(10_001) }, 'The text has 10001 characters; at most 10000.'],
    ['a long HTML', { html: 'x'.repeat(50_001) }, 'The html has 50001 characters; at most 50000.'],
    [
      'a second line in its subject',
      { subject: 'Receipt\r\nBcc: all@example.com' },
      'The subject has a line break or a control character that it may not have.',
    ],
    [
      'a control character in its text',
      { text: 'a\u0000b' },
      'The text has a line break or a control character that it may not have.',
    ],
    ['a card number', { text: 'Card 4111 1111 1111 1111' }, 'The text has a card number in it.'],
  ] as const) {
    test(`with ${what} is refused`, () => assert.equal(faultOf(change), expected))
  }

  test('of each kind that is built in passes the rules, and leaves no braces', () => {
    for (const [kind, template] of Object.entries(BUILT_IN_TEMPLATES)) {
      assert.equal(templateRefusal(kind as MailKindName, template), null, kind)
      const { html, subject, text } = renderMail(template, PLACEHOLDERS)
      assert.doesNotMatch(subject + text + html, /[{}]/)
    }
  })

  test('has only placeholders with an example', () => {
    const used = Object.values(MAIL_KINDS).flatMap(({ placeholders }) => placeholders)
    assert.deepEqual(
      used.filter((name) => !Object.hasOwn(PLACEHOLDERS, name)),
      [],
    )
  })
})

suite('a rendered mail', () => {
  const NASTY = `<script>alert("1")</script> & 'quoted'\r\nBcc: all@example.com`
  const rendered = renderMail(
    {
      subject: 'To {{first_name}}',
      text: '{{first_name}}',
      html: '<a title="{{first_name}}">x</a>',
    },
    { first_name: NASTY },
  )

  test('has its values escaped in HTML', () => {
    assert.equal(
      rendered.html,
      '<a title="&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;quoted&#39;\r\n' +
        'Bcc: all@example.com">x</a>',
    )
  })

  test('has one line as its subject, also with line breaks in its values', () => {
    assert.equal(rendered.subject, `To <script>alert("1")</script> & 'quoted' Bcc: all@example.com`)
  })

  test('keeps the value in plain text as it is', () => assert.equal(rendered.text, NASTY))

  test('does not fill a placeholder that a value brings', () => {
    const values = { first_name: '{{amount}}', amount: '1.00' }
    const { text } = renderMail({ subject: 's', text: '{{first_name}}', html: '' }, values)
    assert.equal(text, '{{amount}}')
  })

  test('has nothing in place of a value that is missing', () => {
    const { text } = renderMail({ subject: 's', text: '[{{order}}]', html: '' }, {})
    assert.equal(text, '[]')
  })

  test('has a card number in a value masked, in every part', () => {
    const number = '4111111111111111'
    const all = { subject: '{{order}}', text: '{{order}}', html: '{{order}}' }
    const { html, subject, text } = renderMail(all, { order: number })
    assert.deepEqual([subject, text, html], Array(3).fill('411111******1111'))
  })

  test('has HTML made of its text if the template has none', () => {
    const template = { subject: 's', text: 'a < b\n{{order}}\n\nend\n', html: '' }
    assert.equal(
      renderMail(template, { order: '<i>' }).html,
      '<!doctype html>\n<html><body>\n<p>a &lt; b<br>\n&lt;i&gt;</p>\n<p>end</p>\n</body></html>\n',
    )
    assert.equal(htmlOfText('x'), '<!doctype html>\n<html><body>\n<p>x</p>\n</body></html>\n')
  })

  test('is marked in its subject if it is about test mode, and only then', () => {
    assert.equal(markedSubject('Receipt', 'test'), '[TEST] Receipt')
    assert.equal(markedSubject('Receipt', 'live'), 'Receipt')
  })
})
