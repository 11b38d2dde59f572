import { DockerfileParser, type Copy, type From, type JSONInstruction } from 'dockerfile-ast'
import { validate } from 'dockerfile-utils'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, suite, test } from 'node:test'
import type { MadeRelease } from './made-release.ts'
import { overlayProblem, runOnOverlay } from './overlay.ts'

/** The tests of the image: its Dockerfile, and the steps of its last stage. */
export function testContainer({ checkout, folder, outer }: MadeRelease): void {
  const text = readFileSync(join(checkout, 'deploy/container/Dockerfile'), 'utf8')
  const all = DockerfileParser.parse(text).getInstructions()
  const named = (keyword: string) => all.filter((one) => one.getKeyword() === keyword)
  const lastStage = all.slice(all.lastIndexOf(named('FROM').at(-1) ?? assert.fail('no stage')))
  const inLast = (keyword: string) => lastStage.filter((one) => one.getKeyword() === keyword)
  const words = (keyword: string): string[] =>
    inLast(keyword).at(-1)?.getArguments().map(String) ?? assert.fail(`no ${keyword}`)
  /** The words of an instruction in exec form: none runs a shell, which would swallow signals. */
  const exec = (keyword: string): string[] => {
    const found = inLast(keyword).at(-1) as JSONInstruction | undefined
    const strings = found?.getJSONStrings().map((one) => one.getJSONValue()) ?? []
    assert.ok(strings.length > 0, `${keyword} is not in exec form`)
    return strings
  }

  suite('the image', () => {
    test('has a Dockerfile without a finding of the linter', () => {
      const findings = validate(text).map(
        ({ message, range }) => `${range.start.line + 1} ${message}`,
      )
      assert.deepEqual(findings, [])
    })

    test('names an exact version of its base, and gets nothing from addresses', () => {
      const base = /^ARG NODE_IMAGE=(.*)$/m.exec(text)?.[1] ?? ''
      assert.match(base, /^[\w./-]+:\d+\.\d+\.\d+-[a-z-]+$/)
      const bases = named('FROM').map((one) => (one as From).getImage())
      assert.deepEqual([...new Set(bases)], ['${NODE_IMAGE}'])
      const node = readFileSync(join(checkout, '.nvmrc'), 'utf8').trim()
      assert.ok(base.includes(`:${node}-`), `${base} is not the Node ${node} of the tests`)
      assert.deepEqual(named('ADD'), [])
      assert.doesNotMatch(text, /curl|wget|https?:\/\/|apt/)
    })

    test('runs as a user by number other than root, without a shell around the program', () => {
      assert.match(words('USER')[0] ?? '', /^[1-9]\d*:[1-9]\d*$/)
      assert.deepEqual([...exec('ENTRYPOINT'), ...exec('CMD')].slice(1), [
        '/opt/tollgate/bin/launch.mjs',
        'start',
      ])
    })
  })

  suite('the image on a copy of a machine', { skip: overlayProblem(outer) }, () => {
    let step: (name: string) => string = () => assert.fail('the script did not run')
    const health = (): string => {
      const check = inLast('HEALTHCHECK').at(-1)?.getRawArgumentsContent() ?? ''
      const list = /CMD (\[.*\])$/s.exec(check)?.[1] ?? assert.fail('no HEALTHCHECK in exec form')
      return (JSON.parse(list) as string[]).join(' ')
    }

    before(() => {
      const copy = inLast('COPY')[0] as Copy
      const settings = inLast('ENV').flatMap((one) => one.getArguments().map(String))
      step = runOnOverlay('container.sh', [join(outer, 'container'), folder, process.execPath], {
        RUN: inLast('RUN')
          .map((one) => one.getRawArgumentsContent() ?? '')
          .join(' && '),
        PROGRAM: String(copy.getArguments().at(-1)),
        DATA: words('VOLUME')[0] ?? '',
        IDENTITY: words('USER')[0] ?? '',
        SETTINGS: settings.join(' '),
        START: [...exec('ENTRYPOINT'), ...exec('CMD')].join(' '),
        HEALTH: health(),
      })
    })

    test('is healthy when it is ready, and not before', () => {
      assert.match(step('unhealthy'), /^not healthy$/m)
      assert.match(step('healthy'), /^healthy$/m)
    })

    test('takes a payment with read-only files and no capabilities, and stops on SIGTERM', () => {
      assert.match(step('payment'), /"TRANS_STATUS_NAME":"APPROVED"/)
      assert.match(step('stopped'), /^stopped with 0$/m)
    })

    test('answers over HTTPS at the port that it exposes', () => {
      assert.deepEqual(words('EXPOSE'), ['8443'])
      assert.match(step('secure'), / 200$/m)
    })
  })
}
