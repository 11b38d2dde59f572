import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { domainOf, isMailAddress } from '../../../src/domain/mail/mail-address.ts'
import { typesOf } from '../../../src/domain/mail/mail-kinds.ts'
import { isSameMail, noticesRefusal, siteMailRefusal } from '../../../src/domain/mail/site-mail.ts'
import { isSameTemplate } from '../../../src/domain/mail/template.ts'

suite('an address of a mail', () => {
  for (const address of ['a@b', 'first.last+tag@shop.example', "o'neil@mail-1.example.com"]) {
    test(`may be ${address}`, () => assert.equal(isMailAddress(address), true))
  }

  for (const address of [
    '',
    'a',
    '@b',
    'a@',
    'a b@c.example',
    'a@b.example, c@d.example',
    'a@b.example\r\nBcc: c@d.example',
    'a@b.example\n',
    '<a@b.example>',
    '"a b"@c.example',
    'Ada <a@b.example>',
    'a@-b.example',
    'a@b..example',
    'a@b.example;c@d.example',
    '4111111111111111@b.example',
    `${'a'.repeat(65)}@b.example`,
    `a@${'b.'.repeat(126)}example`,
  ]) {
    test(`may not be ${JSON.stringify(address).slice(0, 60)}`, () =>
      assert.equal(isMailAddress(address), false))
  }

  test('has its domain behind the last @', () => {
    assert.equal(domainOf('receipts@pay.example'), 'pay.example')
  })
})

suite("a site's choice of mails", () => {
  const GOOD = { kinds: ['receipt'], sendsTests: false, senderName: 'Shop', replyTo: 'a@b.example' }
  const faultOf = (change: Partial<typeof GOOD>): string | undefined =>
    siteMailRefusal({ ...GOOD, ...change })?.faults[0]

  test('of known kinds is accepted, without replies too', () => {
    assert.equal(siteMailRefusal(GOOD), null)
    assert.equal(siteMailRefusal({ ...GOOD, replyTo: '', senderName: '', kinds: [] }), null)
  })

  test('of a notice, or of nothing known, is refused', () => {
    assert.match(faultOf({ kinds: ['dispute_opened'] }) ?? '', /^dispute_opened is no kind of mail/)
    assert.match(faultOf({ kinds: ['toString'] }) ?? '', /^toString is no kind of mail/)
  })

  test('with a header in the name is refused', () => {
    const fault = "The sender's name may have 100 characters and no line break."
    assert.equal(faultOf({ senderName: 'Shop\nBcc: a@b.example' }), fault)
    assert.equal(faultOf({ senderName: 'x'.repeat(101) }), fault)
  })

  test('with a card number in the name is refused', () => {
    assert.equal(
      faultOf({ senderName: '4111111111111111' }),
      "The sender's name has a card number in it.",
    )
  })

  test('with replies to several addresses is refused', () => {
    assert.equal(
      faultOf({ replyTo: 'a@b.example,c@d.example' }),
      'a@b.example,c@d.example is not one e-mail address.',
    )
  })
})

test('a portal user may choose notices, and no mails of customers', () => {
  assert.equal(noticesRefusal(['payout_deposited', 'endpoint_stopped']), null)
  assert.equal(noticesRefusal([]), null)
  assert.match(noticesRefusal(['receipt'])?.faults[0] ?? '', /^receipt is no kind of mail here/)
})

test('kinds that share a type of event look at it once', () => {
  assert.deepEqual(typesOf(['receipt', 'renewal_receipt']), ['payment.approved', 'capture.created'])
})

test('choices are the same in any sequence of kinds, and differ in any member', () => {
  const mail = {
    kinds: ['receipt', 'renewal_failed'],
    sendsTests: false,
    senderName: '',
    replyTo: '',
  }
  assert.ok(isSameMail(mail, { ...mail, kinds: ['renewal_failed', 'receipt'] }))
  for (const change of [
    { kinds: ['receipt'] },
    { sendsTests: true },
    { senderName: 'Shop' },
    { replyTo: 'a@b.example' },
  ]) {
    assert.equal(isSameMail(mail, { ...mail, ...change }), false)
  }
})

test('texts are the same if each part is, and built-in texts equal nothing else', () => {
  const texts = { subject: 's', text: 't', html: '' }
  assert.ok(isSameTemplate(texts, { ...texts }) && isSameTemplate(null, null))
  for (const change of [{ subject: 'x' }, { text: 'x' }, { html: 'x' }]) {
    assert.equal(isSameTemplate(texts, { ...texts, ...change }), false)
  }
  assert.ok(!isSameTemplate(null, texts) && !isSameTemplate(texts, null))
})
