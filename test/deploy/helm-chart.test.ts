import * as apps from 'kubernetes-models/apps/v1'
import * as autoscaling from 'kubernetes-models/autoscaling/v2'
import * as batch from 'kubernetes-models/batch/v1'
import * as networking from 'kubernetes-models/networking.k8s.io/v1'
import * as policy from 'kubernetes-models/policy/v1'
import * as core from 'kubernetes-models/v1'
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { SECRET_FILES, SETTINGS } from '../../packages/gateway/src/config/config.ts'
import { root } from '../house/source-text.ts'
import { findHelm } from './helm-program.ts'
import { watchFields } from './unread-fields.ts'

const CHART = join(root, 'deploy/helm/tollgate')
const helm = findHelm()
const skip = 'missing' in helm ? helm.missing : false

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly annotations?: Record<string, string> }
  // oxlint-disable-next-line no-explicit-any -- the checked content of a manifest of any kind
  readonly spec: Record<string, any>
}

interface Model {
  readonly prototype: { validate(this: object): void }
}

const MODELS: Readonly<Record<string, unknown>> = {
  'apps/v1 Deployment': apps.Deployment,
  'autoscaling/v2 HorizontalPodAutoscaler': autoscaling.HorizontalPodAutoscaler,
  'batch/v1 Job': batch.Job,
  'networking.k8s.io/v1 NetworkPolicy': networking.NetworkPolicy,
  'policy/v1 PodDisruptionBudget': policy.PodDisruptionBudget,
  'v1 Service': core.Service,
}

const NEEDED = [
  'publicUrl=https://pay.example.com',
  'tls.secretName=pay-tls',
  'database.url=postgresql://tollgate@db-0:5432\\,db-1:5432/tollgate',
  'database.password.secretName=pay-database',
  'vaultKey.secretName=pay-vault',
]
/** Values that operators choose, besides the required ones. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  defaults: [],
  'AWS KMS and an authority of the database': [
    'settings.VAULT_KMS_KEY=alias/tollgate',
    'vaultKey.secretName=',
    'database.ca.secretName=pay-ca',
    'image.digest=sha256:' + 'a'.repeat(64),
  ],
  'everything optional off': [
    'autoscaling.enabled=false',
    'disruptionBudget.enabled=false',
    'networkPolicy.enabled=false',
    'migration.enabled=false',
  ],
  'everything optional set': [
    'podAnnotations.team=payments',
    'nodeSelector.disk=ssd',
    'tolerations[0].key=payments',
    'tolerations[0].operator=Exists',
    'image.pullSecrets[0].name=registry',
    'networkPolicy.from[0].podSelector.matchLabels.app=proxy',
    'networkPolicy.egress[0].ports[0].port=8583',
    'service.type=LoadBalancer',
    'service.annotations.internal=yes',
    'settings.REQUEST_RATE_LIMIT=100',
    'console.enabled=true',
    'console.url=https://console.example.com',
    'console.from[0].podSelector.matchLabels.app=bastion',
    'console.service.annotations.internal=yes',
  ],
}

function runHelm(...args: readonly string[]): { readonly out: string; readonly said: string } {
  const program = 'program' in helm ? helm.program : assert.fail('no Helm')
  const { stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  return { out: stdout, said: stderr + stdout }
}

function settingsOf(values: readonly string[]): string[] {
  return values.flatMap((value) => ['--set', value])
}

function render(values: readonly string[]): readonly Manifest[] {
  const { out, said } = runHelm('template', 'pay', CHART, ...settingsOf([...NEEDED, ...values]))
  assert.notEqual(out, '', said)
  // Kubernetes reads YAML 1.1, where 0440 is octal.
  return parseAllDocuments(out, { version: '1.1' }).flatMap((document) => {
    const manifest = document.toJS() as Manifest | null
    return manifest === null ? [] : [manifest]
  })
}

function one(manifests: readonly Manifest[], kind: string): Manifest {
  return manifests.find((manifest) => manifest.kind === kind) ?? assert.fail(`no ${kind}`)
}

/** Throws for a manifest that Kubernetes would refuse, and for a field that it does not know. */
function checkManifest(manifest: Manifest): void {
  const name = `${manifest.apiVersion} ${manifest.kind}`
  const model = MODELS[name] as Model | undefined
  assert.ok(model !== undefined, `no schema for ${name}`)
  const { view, unread } = watchFields(manifest)
  // A model copies the fields that it is made of, which would read all of them.
  model.prototype.validate.call(view)
  assert.deepEqual(unread(), [], name)
}

suite('the Helm chart', { skip }, () => {
  test('passes the linter of Helm', () => {
    const { said } = runHelm('lint', '--strict', CHART, ...settingsOf(NEEDED))
    assert.match(said, /1 chart\(s\) linted, 0 chart\(s\) failed/)
  })

  for (const [choice, values] of Object.entries(CHOICES)) {
    test(`makes only manifests that the schemas of Kubernetes accept with ${choice}`, () => {
      const manifests = render(values)
      assert.ok(manifests.length >= 2)
      for (const manifest of manifests) checkManifest(manifest)
    })
  }

  test('has a schema check that rejects wrong types and unknown fields', () => {
    const service = one(render([]), 'Service')
    const ports = [{ port: 'https' }]
    assert.throws(() => checkManifest({ ...service, spec: { ...service.spec, ports } }), /port/)
    assert.throws(() => checkManifest({ ...service, spec: { ...service.spec, portz: 1 } }), /portz/)
  })

  test('names each required value that is missing', () => {
    for (const value of NEEDED) {
      const [name = ''] = value.split('=')
      const others = NEEDED.filter((other) => other !== value)
      const { said } = runHelm('template', 'pay', CHART, ...settingsOf(others))
      assert.ok(said.includes(name), `${name}: ${said}`)
    }
  })

  test('rejects a password in the address of the database, and secrets among the settings', () => {
    for (const value of [
      'database.url=postgresql://tollgate:secret@db/tollgate',
      'settings.SMTP_PASSWORD=x',
      'settings.AUDIT_PUSH_SECRET=x',
      'settings.VAULT_KEY=x',
      'settings.CONSOLE_PORT=9443',
      'imagee.tag=1',
    ]) {
      const { out, said } = runHelm('template', 'pay', CHART, ...settingsOf([...NEEDED, value]))
      assert.equal(out, '', value)
      assert.match(said, /schema/, value)
    }
  })

  test('has a console only where it is enabled, for the named peers alone, and not beside payments', () => {
    const console = ['console.enabled=true', 'console.url=https://console.example.com']
    const named = (values: readonly string[]) =>
      render(values).map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    assert.ok(!named([]).includes('Service pay-console'))
    assert.ok(!JSON.stringify(render([])).includes('CONSOLE_'))
    assert.ok(named(console).includes('Service pay-console'))
    const portsOf = (values: readonly string[], name: string): unknown =>
      render(values).find(({ kind, metadata }) => kind === 'Service' && metadata.name === name)
        ?.spec['ports']
    assert.deepEqual(portsOf(console, 'pay'), [{ name: 'https', port: 443, targetPort: 'https' }])
    assert.deepEqual(portsOf(console, 'pay-console'), [
      { name: 'console', port: 443, targetPort: 'console' },
    ])
    const peers = { podSelector: { matchLabels: { app: 'bastion' } } }
    const admitted = (values: readonly string[]) =>
      one(render(values), 'NetworkPolicy').spec['ingress'].map(
        ({ ports, from }: { ports: readonly { port: string }[]; from?: unknown }) => [
          ports.map(({ port }) => port).join(),
          from,
        ],
      )
    assert.deepEqual(admitted(console), [['https', undefined]])
    const from = 'console.from[0].podSelector.matchLabels.app=bastion'
    assert.deepEqual(admitted([...console, from]), [
      ['https', undefined],
      ['console', [peers]],
    ])
    const { said } = runHelm('template', 'pay', CHART, ...settingsOf([...NEEDED, console[0] ?? '']))
    assert.match(said, /console\.url/)
  })

  test('migrates before the pods of a version, with nothing that Helm makes later', () => {
    const job = one(render([]), 'Job')
    assert.equal(job.metadata.annotations?.['helm.sh/hook'], 'pre-install,pre-upgrade')
    const pod = job.spec['template'].spec
    assert.deepEqual(pod.containers[0].args, ['migrate'])
    assert.equal(job.spec['backoffLimit'], 0)
    assert.equal(pod.serviceAccountName, undefined)
    assert.doesNotMatch(JSON.stringify(pod), /configMap/i)
  })

  test('runs pods as a user other than root, with read-only files and secrets as files only', () => {
    for (const kind of ['Deployment', 'Job']) {
      const { containers, securityContext, automountServiceAccountToken } = one(render([]), kind)
        .spec['template'].spec
      assert.equal(securityContext.runAsNonRoot, true)
      assert.equal(automountServiceAccountToken, false)
      assert.equal(containers[0].securityContext.readOnlyRootFilesystem, true)
      assert.deepEqual(containers[0].securityContext.capabilities.drop, ['ALL'])
      for (const { name, valueFrom } of containers[0].env) {
        assert.equal(valueFrom, undefined)
        assert.ok(name in SETTINGS || SECRET_FILES.includes(name), `${name} is no setting`)
      }
    }
  })

  test('gives a stopping pod more time than it drains and waits for an answer of the bank', () => {
    const pod = one(render([]), 'Deployment').spec['template'].spec
    const env = pod.containers[0].env as readonly { name: string; value: string }[]
    const drain = Number(env.find(({ name }) => name === 'DRAIN_S')?.value)
    assert.ok(pod.terminationGracePeriodSeconds >= drain + 30)
  })

  test('sends traffic only to pods of the gateway, and never to the migration', () => {
    const manifests = render([])
    const { selector } = one(manifests, 'Service').spec
    const labels = (kind: string): Record<string, string> =>
      one(manifests, kind).spec['template'].metadata.labels
    const fits = (kind: string): boolean =>
      Object.entries(selector as Record<string, string>).every(
        ([name, value]) => labels(kind)[name] === value,
      )
    assert.deepEqual([fits('Deployment'), fits('Job')], [true, false])
  })

  test('has the version of the program', () => {
    const chart = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8')) as Record<string, string>
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      readonly version: string
    }
    assert.deepEqual([chart['version'], chart['appVersion']], [version, version])
  })
})
