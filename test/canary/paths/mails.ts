import { card } from '../marks.ts'
import { payment, untilRows, type Path } from '../path.ts'

/** Texts of a payment that a receipt shows. */
const SHOWN = ['CUST_FNAME', 'CUST_LNAME'] as const

/**
 * The card number in what a receipt is made of. Receipts of the site stay on, so payments of later
 * paths have some too. A sandbox without a mail server keeps each mail as it would be sent.
 */
export const mails: Path = {
  name: 'receipts by e-mail',
  seen: ['mail'],
  async push(run) {
    const number = card('mail')
    await run.command('mail', 'set', '1001', '--kinds', 'receipt', '--test-mail', 'on')
    for (const name of SHOWN) {
      const address = `${name.toLowerCase()}@shop.example`
      await run.send({ ...payment(number), CUST_EMAIL: address, [name]: number })
      await untilRows(
        run,
        `select from mail_messages where state = 'caught' and recipient = '${address}'`,
      )
    }
    // A reference with a card number is refused, and an address with one gets no mail.
    for (const name of ['XTL_ORDER_ID', 'XTL_CUST_ID']) {
      await run.send({ ...payment(number), CUST_EMAIL: 'x@shop.example', [name]: number })
    }
    await run.send({ ...payment(number), CUST_EMAIL: `${number}@shop.example` })
  },
}
