import { PARAMETERS } from '../../../packages/gateway/src/http/payment/parameters.ts'
import { card } from '../marks.ts'
import { inTurn, payment, type Path } from '../path.ts'

const AT_ONCE = 8

const TAKEN = new Set(['REQ_USERNAME', 'REQ_PASSWORD', 'SITE_ID', 'PMT_NUMB', 'REQUEST_ACTION'])

/**
 * The card number in every other parameter of the same request, one by one and in all texts at
 * once.
 */
export const pastedNumbers: Path = {
  name: 'card numbers in other fields',
  seen: ['address', 'pasted', 'extra'],
  async push(run) {
    const [own, other, extra] = [card('address'), card('pasted'), card('extra')]
    const names = PARAMETERS.map(({ name }) => name.replace(/_n$/, '_1')).filter(
      (name) => !TAKEN.has(name),
    )
    const spelt = [
      own,
      own.replace(/(.{4})/g, '$1 ').trim(),
      `nr:${own}/${own}`,
      [...own].join('.'),
    ]
    await inTurn(AT_ONCE, names.entries(), ([at, name]) =>
      run.send({ ...payment(own), [name]: spelt[at % spelt.length] ?? own }),
    )
    const texts = PARAMETERS.filter(
      ({ kind, use, max }) =>
        ['text', 'printable', 'phone'].includes(kind) && use === 'stores' && max >= 19,
    ).map(({ name }) => name)
    // Another card than the one that pays, in what is kept as it was typed.
    const free = texts.filter((name) => !/^(LI_|PROC_GUID|TPPE_ID|DEVICE_)/.test(name))
    await inTurn(AT_ONCE, [...free].entries(), ([at, name]) =>
      run.send({ ...payment(own), [name]: at % 2 === 0 ? `card ${other}.` : other }),
    )
    await run.send({
      ...payment(own),
      [extra]: extra,
      UNKNOWN_FIELD: extra,
      XTL_UDF20: `${extra} ${extra}`,
    })
    await run.send({ ...payment(own), XTL_UDF01: '１２３４', CUST_FNAME: fullWidth(extra) })
  },
}

function fullWidth(digits: string): string {
  return [...digits].map((digit) => String.fromCodePoint(0xff10 + Number(digit))).join('')
}
