import { card, CODE } from '../marks.ts'
import type { Path } from '../path.ts'

/** Requests of a browser, or of a client that imitates one, to the page with the card fields. */
export const cardPage: Path = {
  name: 'the page with the card fields',
  // Nothing of these requests is kept, not even cut down.
  seen: [],
  async push(run) {
    const number = card('cardPage')
    const report = {
      'csp-report': {
        'document-uri': `https://shop.example/?n=${number}`,
        'effective-directive': number,
        'blocked-uri': number,
        'script-sample': `${number} ${CODE}`,
      },
    }
    const reportOf = (directive: string, type: string): Promise<string> =>
      run.request('/pay/violations', {
        method: 'POST',
        headers: { 'content-type': type, referer: `https://shop.example/${number}` },
        body: JSON.stringify(report).replace(
          `"effective-directive":"${number}"`,
          `"effective-directive":"${directive}"`,
        ),
      })
    await Promise.all([
      reportOf('script-src', 'application/csp-report'),
      reportOf(number, 'application/csp-report'),
      reportOf(number, 'application/json'),
      reportOf(number.repeat(2_000), 'application/csp-report'),
      run.request(`/pay/violations?n=${number}`, { method: 'GET' }),
      run.request(`/pay/field.html?site=1001&number=${number}&code=${CODE}`, { method: 'GET' }),
      run.request(`/pay/field.html?site=${number}&origin=${number}`, { method: 'GET' }),
      run.request(`/pay/${number}`, { method: 'GET' }),
    ])
  },
}
