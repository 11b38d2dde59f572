import { MARKED_USER } from '../marked-user.ts'
import { card, CODE, PASSWORD } from '../marks.ts'
import { payment, type Path } from '../path.ts'

const ADDRESS = '/payment/pmt_service.cfm'

/** Requests that are invalid forms, invalid HTTP, or no HTTP at all. */
export const malformedRequests: Path = {
  name: 'malformed requests',
  seen: ['malformed'],
  async push(run) {
    const number = card('malformed')
    const form = new URLSearchParams({
      REQ_USERNAME: MARKED_USER,
      REQ_PASSWORD: PASSWORD,
      SITE_ID: '1001',
      REQUEST_API_VERSION: '4.14',
      ...payment(number),
    }).toString()
    const type = 'application/x-www-form-urlencoded'
    const post = (body: string | Buffer, contentType = type): Promise<string> =>
      run.request(ADDRESS, { method: 'POST', body, headers: { 'content-type': contentType } })
    const utf16 = Buffer.from(form, 'utf16le')
    const inAddress = `${ADDRESS}?${form}`
    const head = `POST ${ADDRESS} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\n`
    await Promise.all([
      ...[
        `${form}&XTL_UDF01=%zz${number}`,
        `${form}&XTL_UDF01=${number}%ff%fe`,
        `${form}&PMT_NUMB=${number}1`,
        `${form}&=${number}&${number}&${number}=${number}`,
        `${form}${`&X${number}=1`.repeat(1_001)}`,
        `${form}&XTL_UDF01=${number.repeat(5_000)}`,
        `PMT_NUMB=${number}`,
        `${form}\0${number}`,
        utf16,
        // Bodies that are no form, with the content type of one, as `curl -d` sends them.
        JSON.stringify({ REQ_PASSWORD: PASSWORD, ...payment(number) }),
        form.replaceAll('&', '\n'),
        form.replaceAll('&', ';'),
      ].map((body) => post(body)),
      post(JSON.stringify(payment(number)), 'application/json'),
      post(`<PMT_NUMB>${number}</PMT_NUMB>`, 'text/xml'),
      post(form, `${type}; charset=${number}`),
      post(form, 'multipart/form-data'),
      run.request(inAddress, { method: 'GET' }),
      run.request(inAddress, { method: 'PUT', body: form }),
      run.request(`/${number}?PMT_KEY=${CODE}`, { method: 'GET' }),
      run.request(`/health/${number}`, { method: 'POST', body: form }),
      run.request(`/%zz${number}`, { method: 'GET' }),
      run.request(ADDRESS, {
        method: 'POST',
        body: form,
        headers: { 'x-card': number, cookie: `n=${number}` },
      }),
      run.request(ADDRESS, {
        method: 'POST',
        body: form,
        headers: { 'content-type': type, 'user-agent': number, 'x-forwarded-for': number },
      }),
      // As the ids of a trace: 32 and 16 hexadecimal digits.
      ...[
        `00-abcdabcdabcdabcd${number}-abcdabcdabcdabcd-01`,
        `00-${'abcd'.repeat(8)}-${number}-01`,
      ].map((traceparent) =>
        run.request(ADDRESS, {
          method: 'POST',
          body: form,
          headers: { 'content-type': type, traceparent },
        }),
      ),
      run.sendBytes(`${head}Content-Length: ${form.length}\r\nConnection: close\r\n\r\n${form}`),
      run.sendBytes(`${head}Content-Length: ${form.length}\r\nConnection: close\r\n\r\n${form}`, {
        tls: true,
      }),
      run.sendBytes(`${head}Content-Length: 9000\r\n\r\n${form}`, { half: true }),
      run.sendBytes(`${head}Content-Length: 9000\r\n\r\n${form}`),
      run.sendBytes(`${head}Transfer-Encoding: chunked\r\n\r\n${number}\r\n${form}`),
      run.sendBytes(`${head}Content-Length: -${number}\r\n\r\n${form}`),
      run.sendBytes(`${head}Content-Length: 5\r\nContent-Length: ${number}\r\n\r\n${form}`),
      run.sendBytes(`${head}${number}\r\n\r\n${form}`),
      run.sendBytes(`${head}X-Card: ${number.repeat(2_000)}\r\n\r\n`),
      run.sendBytes(`${number} ${ADDRESS} HTTP/1.1\r\n\r\n`),
      run.sendBytes(`POST ${ADDRESS} HTTP/${number}\r\n\r\n`),
      run.sendBytes(`${form}\r\n\r\n`),
      run.sendBytes(form, { bareTls: true }),
    ])
  },
}
