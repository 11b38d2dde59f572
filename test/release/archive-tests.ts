import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { suite, test } from 'node:test'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import { leftBehind, watch, type Program } from '../../packages/tollgate/test/program.ts'
import { packArchive } from '../../tools/release/archive.ts'
import { filesIn, stageRelease } from '../../tools/release/stage.ts'
import { PLAIN, type MadeRelease } from './made-release.ts'

const INSTALLED_BYTES_MAX = 150e6
const isRoot = process.getuid?.() === 0

interface Component {
  readonly name: string
  readonly version: string
  readonly properties: readonly { readonly value: string }[]
}

/** The tests of the release archive. */
export function testArchive({
  checkout,
  epoch,
  folder,
  name,
  out,
  outer,
  version,
}: MadeRelease): void {
  suite('the release archive', () => {
    function components(): readonly Component[] {
      const text = readFileSync(join(folder, 'sbom.cdx.json'), 'utf8')
      return (JSON.parse(text) as { components: readonly Component[] }).components
    }

    function listed(place: string): string[] {
      return components()
        .filter(({ properties }) => properties.some(({ value }) => value === place))
        .map((component) => `${component.name}@${component.version}`)
        .sort()
    }

    function bytesOf(file: string): number {
      return statSync(join(folder, file)).size
    }

    test('takes less than 150 MB when it is installed', () => {
      const bytes = filesIn(folder).reduce((sum, file) => sum + bytesOf(file), 0)
      assert.ok(bytes < INSTALLED_BYTES_MAX, `${bytes} bytes`)
    })

    test('has the alert rules, their tests and the dashboard as the repository has them', () => {
      for (const file of [
        'prometheus/tollgate.rules.yaml',
        'prometheus/tollgate.rules.test.yaml',
        'grafana/tollgate.json',
      ]) {
        const source = readFileSync(join(checkout, 'deploy', file), 'utf8')
        assert.equal(readFileSync(join(folder, file), 'utf8'), source, file)
      }
    })

    test('has the checksums of all its files in SHA256SUMS', () => {
      const said = execFileSync('sha256sum', ['--check', 'SHA256SUMS'], {
        cwd: out,
        encoding: 'utf8',
      })
      const files = said.split('\n').filter((line) => line !== '')
      assert.deepEqual(
        files.map((line) => line.replace(/: OK$/, '').replaceAll(version, 'V')),
        [
          `tollgate-V-linux-${process.arch}.cdx.json`,
          `tollgate-V-linux-${process.arch}.tar.gz`,
          'tollgate-chart-V.tgz',
          'tollgate-compose-V.tar.gz',
          `tollgate_V_${process.arch === 'x64' ? 'amd64' : process.arch}.deb`,
        ],
      )
    })

    test('has the same bytes when it is made again from the same checkout', () => {
      const again = join(outer, 'again', name)
      stageRelease(checkout, again, version)
      const file = join(outer, 'again.tar.gz')
      packArchive(again, file, epoch, 'fast')
      const same = readFileSync(file).equals(readFileSync(join(out, `${name}.tar.gz`)))
      rmSync(dirname(again), { recursive: true })
      assert.ok(same, 'the two archives differ')
    })

    test('lists exactly the packages in its folder as installed in its bill of materials', () => {
      const manifests = filesIn(join(folder, 'node_modules')).filter((file) =>
        /^(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+\/package\.json$/.test(file),
      )
      const found = manifests.map((file) => {
        const text = readFileSync(join(folder, 'node_modules', file), 'utf8')
        const manifest = JSON.parse(text) as { name: string; version: string }
        return `${manifest.name}@${manifest.version}`
      })
      assert.deepEqual(listed('node_modules'), [...new Set(found)].sort())
      assert.ok(found.some((one) => one.startsWith('fastify@')))
      for (const tool of ['typescript', 'vite', 'react', 'knip']) {
        assert.ok(!found.some((one) => one.startsWith(`${tool}@`)), `${tool} is in the release`)
      }
    })

    test('lists the packages that were built into the pages of the portal, and no build tool', () => {
      const names = listed('portal').map((one) => one.slice(0, one.lastIndexOf('@')))
      for (const wanted of [
        'react',
        'react-dom',
        '@mantine/core',
        'uplot',
        '@tanstack/react-router',
      ]) {
        assert.ok(names.includes(wanted), `${wanted} is missing`)
      }
      assert.ok(!names.includes('vite'))
    })

    test('has the licence of each package that it contains', () => {
      const text = readFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), 'utf8')
      for (const component of components()) {
        assert.ok(text.includes(`\n${component.name} ${component.version} (`), component.name)
      }
    })

    test('keeps every file that the packages of the server import', () => {
      const wanted = ['bank', 'gateway', 'tollgate'].flatMap((own) => {
        const file = join(folder, 'packages', own, 'package.json')
        const { dependencies } = JSON.parse(readFileSync(file, 'utf8')) as {
          dependencies: Readonly<Record<string, string>>
        }
        const others = Object.keys(dependencies).filter((one) => !one.startsWith('@tollgate/'))
        return others.map((one) => [own, one] as const)
      })
      for (const [own, one] of wanted) {
        const program = join(folder, 'packages', own, 'probe.mjs')
        writeFileSync(program, `await import(${JSON.stringify(one)})\nprocess.exit(0)\n`)
        execFileSync(process.execPath, [program], { env: PLAIN, cwd: outer })
        rmSync(program)
      }
      assert.ok(wanted.length > 15)
    })

    test('takes the printed payment and stops, with nothing around it and no network', async () => {
      const empty = join(outer, 'empty')
      mkdirSync(empty)
      const [port, tlsPort, bankPort] = await freePorts(3)
      const ports = { PORT: String(port), TLS_PORT: String(tlsPort), BANK_PORT: String(bankPort) }
      const mark = randomUUID()
      const alone = ['-n', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh']
      const [program, ...args] = [
        ...(isRoot ? ['unshare', ...alone] : []),
        join(folder, 'bin', 'tollgate'),
        'start',
      ]
      const env = { ...PLAIN, ...ports, TOLLGATE_TEST_MARK: mark }
      const running: Program = watch(
        spawn(program, args, { cwd: empty, env, stdio: ['ignore', 'pipe', 'pipe'] }),
        mark,
      )
      await running.line(/^tollgate ready/m)
      const [curl] = await running.line(/^curl .*$/m)
      const beside = isRoot ? ['nsenter', '--net', '--target', String(running.child.pid)] : []
      const [first, ...rest] = [...beside, 'sh', '-c', curl]
      const answer = execFileSync(first, rest, { encoding: 'utf8' })
      assert.equal(JSON.parse(answer).TRANS_STATUS_NAME, 'APPROVED', answer)
      running.child.kill('SIGTERM')
      assert.equal(await running.end(), 0, running.output())
      assert.deepEqual(leftBehind(mark, join(empty, '.tollgate', 'postgres', 'cluster')), [])
      assert.ok(existsSync(join(empty, '.tollgate', 'postgres', 'cluster')))
    })

    test('prints its version and its commands through a link on the path', () => {
      const link = join(outer, 'tollgate')
      execFileSync('ln', ['-s', join(folder, 'bin', 'tollgate'), link])
      const run = (...args: string[]): string =>
        execFileSync(link, args, { env: PLAIN, cwd: outer, encoding: 'utf8' })
      assert.equal(run('version'), `tollgate ${version}\n`)
      assert.match(run('help'), /^ {2}verify /m)
    })

    test('names the Node that it needs when it finds an older one or none', () => {
      const old = join(outer, 'old-node')
      writeFileSync(
        old,
        '#!/bin/sh\nexec env node --import="data:text/javascript,Object.defineProperty(process.versions,\'node\',{value:\'20.1.0\'})" "$@"\n',
        { mode: 0o755 },
      )
      const failure = (node: string): string => {
        try {
          execFileSync(join(folder, 'bin', 'tollgate'), ['version'], {
            env: { ...PLAIN, TOLLGATE_NODE: node },
            encoding: 'utf8',
            stdio: 'pipe',
          })
        } catch (error) {
          return (error as { stderr: string }).stderr
        }
        return 'it started'
      }
      assert.match(
        failure(old),
        /^This is Node 20\.1\.0 \(.*\); Tollgate needs Node 24 or newer\. Install/,
      )
      assert.match(
        failure('/nowhere/node'),
        /^Tollgate found no Node: \/nowhere\/node is not a program\./,
      )
    })
  })
}
