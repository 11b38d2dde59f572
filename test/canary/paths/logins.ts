import { card, PASSWORD, WRONG_PASSWORD } from '../marks.ts'
import { payment, type Path } from '../path.ts'

/** Names and passwords that are wrong, and in each other's place; until the user is locked out. */
export const logins: Path = {
  name: 'logins',
  seen: ['login'],
  async push(run) {
    const number = card('login')
    const sale = payment(number)
    await Promise.all(
      [
        { REQ_USERNAME: number },
        { REQ_USERNAME: `shop ${number.replace(/(.{4})/g, '$1 ')}` },
        { REQ_USERNAME: number, REQ_PASSWORD: number },
        { REQ_USERNAME: PASSWORD, REQ_PASSWORD: number },
        { REQ_PASSWORD: `${PASSWORD} ` },
        ...Array.from({ length: 12 }, () => ({
          REQ_USERNAME: number,
          REQ_PASSWORD: WRONG_PASSWORD,
        })),
      ].map((login) => run.send({ ...sale, ...login })),
    )
    await run.send(sale)
  },
}
