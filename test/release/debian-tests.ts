import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, suite, test } from 'node:test'
import { PLAIN, type MadeRelease } from './made-release.ts'
import { overlayProblem, runOnOverlay } from './overlay.ts'

const NEXT = '9.0.0'

/** The tests of the Debian package. */
export function testDebianPackage({ out, outer }: MadeRelease): void {
  const file = join(out, readdirSync(out).find((one) => one.endsWith('.deb')) ?? 'no package')

  const hasDebian = canUse('dpkg') && canUse('systemd-nspawn')
  const problem = hasDebian ? overlayProblem(outer) : 'needs Debian with systemd-nspawn'

  suite('the Debian package', () => {
    const without = canUse('dpkg-deb') && canUse('lintian') ? false : 'needs lintian'
    const withoutReader = canUse('dpkg-deb') && canUse('readelf') ? false : 'needs binutils'

    test('has no finding of lintian in what is not third-party code', { skip: without }, () => {
      const lean = withoutProgram(file, join(outer, 'lean'))
      const args = ['--allow-root', '--fail-on=error,warning', '--tag-display-limit=0', lean]
      const { status, stdout } = spawnSync('lintian', args, { env: PLAIN, encoding: 'utf8' })
      assert.equal(status, 0, stdout)
    })

    test(
      'has the alert rules and the dashboard in /usr/share/tollgate only',
      { skip: without },
      () => {
        const listed = execFileSync('dpkg-deb', ['--contents', file], { encoding: 'utf8' })
        const places = [...listed.matchAll(/\.(\/\S*\/(?:prometheus|grafana)\/tollgate\S*)$/gm)]
        assert.deepEqual(places.map(([, place = '']) => place).toSorted(), [
          '/usr/share/tollgate/grafana/tollgate.json',
          '/usr/share/tollgate/prometheus/tollgate.rules.test.yaml',
          '/usr/share/tollgate/prometheus/tollgate.rules.yaml',
        ])
      },
    )

    test('depends on each package whose libraries its Node loads', { skip: withoutReader }, () => {
      const depends = execFileSync('dpkg-deb', ['--field', file, 'Depends'], { encoding: 'utf8' })
      const named = depends.split(',').map((one) => one.trim().split(' ')[0])
      // The Node of this process is the one inside.
      const entries = execFileSync('readelf', ['-d', process.execPath], { encoding: 'utf8' })
      const needed = [...entries.matchAll(/\(NEEDED\) .*\[(.+)\]/g)].map(([, name = '']) => name)
      assert.ok(needed.includes('libc.so.6'), entries)
      const missing = needed.filter((name) => !named.includes(packageOf(name)))
      assert.deepEqual(missing, [])
    })
  })

  suite('the Debian package on a copy of a machine', { skip: problem }, () => {
    let step: (name: string) => string = () => assert.fail('the script did not run')

    before(() => {
      const higher = withHigherVersion(file, join(outer, 'higher.deb'))
      step = runOnOverlay('debian.sh', [join(outer, 'overlay'), file, higher])
    })

    test('gives settings and secrets to root and its user only, and data to its user only', () => {
      assert.deepEqual(lines(step('places')), [
        'root:tollgate 750 /etc/tollgate',
        'root:tollgate 750 /etc/tollgate/credentials',
        'root:tollgate 640 /etc/tollgate/tollgate.env',
        'tollgate:tollgate 700 /var/lib/tollgate',
        'root:root 755 /usr/lib/tollgate/bin/tollgate',
      ])
    })

    test('starts nothing by itself, and says how to start', () => {
      assert.match(step('enabled'), /^disabled$/m)
      assert.match(step('installed'), /systemctl enable --now tollgate$/m)
    })

    test('has a unit that systemd accepts, with an exposure below 2', () => {
      assert.equal(step('unit').trim(), '')
      const exposure = /exposure level for tollgate\.service: (\d+\.\d)/.exec(step('exposure'))?.[1]
      assert.ok(Number(exposure) < 2, step('exposure'))
    })

    test('prints the version to every user, and refuses commands to users other than its own', () => {
      assert.match(step('version'), /^tollgate \d+\.\d+\.\d+$/m)
      assert.match(
        step('stranger'),
        /^You are nobody; tollgate needs the user tollgate\. Run: sudo/m,
      )
      assert.match(step('stranger'), /exit code 1/)
    })

    test('takes a payment on all addresses as soon as systemd has started its service', () => {
      assert.match(step('payment'), /"TRANS_STATUS_NAME":"APPROVED"/)
      assert.match(step('command'), /hold/)
      assert.doesNotMatch(step('command'), /exit code/)
    })

    test('restarts the service in an update, with changed settings and all data', () => {
      assert.match(step('updated'), new RegExp(`Setting up tollgate \\(${NEXT}\\)`))
      assert.deepEqual(lines(step('settings')), [
        '# a line of the administrator',
        'root:tollgate 640 /etc/tollgate/tollgate.env',
      ])
      const id = (text: string): number => Number(/"PO_ID":(\d+)/.exec(text)?.[1])
      assert.ok(id(step('second-payment')) > id(step('payment')), step('second-payment'))
    })

    test('stops the service, and keeps settings, secrets and data, when it is removed', () => {
      const said = step('removed')
      assert.match(said, /^inactive$/m)
      assert.match(said, /cannot access '\/usr\/lib\/tollgate'/)
      for (const kept of [
        '/etc/tollgate/tollgate.env',
        '/etc/tollgate/credentials/vault.key',
        'postgres',
      ]) {
        assert.match(said, new RegExp(`^${kept}$`, 'm'))
      }
    })

    test('deletes settings, but no secret and no data, when it is purged, and says so', () => {
      for (const place of ['/var/lib/tollgate', '/etc/tollgate/credentials']) {
        assert.match(step('purged'), new RegExp(`data stay in ${place}, .* rm -r ${place}$`, 'm'))
      }
      const left = step('left')
      assert.match(left, /cannot access '\/etc\/tollgate\/tollgate.env'/)
      assert.match(left, /^secret$/m)
      assert.match(left, /^tollgate:tollgate 700 \/var\/lib\/tollgate\/postgres\/cluster$/m)
      assert.match(left, /cannot access '\/etc\/systemd\/system\/\*tollgate\*'/)
    })
  })
}

/** The Debian package of a library, by the name of the file that programs load. */
function packageOf(library: string): string {
  if (library.startsWith('libatomic.')) return 'libatomic1'
  // libstdc++6 depends on libgcc-s1.
  return /^lib(?:stdc\+\+|gcc_s)\./.test(library) ? 'libstdc++6' : 'libc6'
}

function lines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '')
}

function canUse(program: string): boolean {
  return spawnSync(program, ['--version'], { env: PLAIN }).status === 0
}

/** A copy of an uncompressed package with another version in its control file, and the same files. */
function withHigherVersion(file: string, copy: string): string {
  const folder = `${copy}.control`
  execFileSync('cp', [file, copy])
  execFileSync('dpkg-deb', ['--control', file, folder])
  const control = join(folder, 'control')
  writeFileSync(
    control,
    readFileSync(control, 'utf8').replace(/^Version: .*$/m, `Version: ${NEXT}`),
  )
  const packed = `${copy}.d`
  mkdirSync(packed)
  const tar = join(packed, 'control.tar')
  execFileSync('tar', ['--owner=0', '--group=0', '-C', folder, '-cf', tar, '.'])
  execFileSync('ar', ['r', copy, tar], { stdio: 'ignore' })
  return copy
}

/** A copy without Node and packages: lintian would examine 4,000 files that are not ours. */
function withoutProgram(file: string, folder: string): string {
  mkdirSync(folder)
  execFileSync('dpkg-deb', ['--control', file, join(folder, 'DEBIAN')])
  const unpack =
    'dpkg-deb --fsys-tarfile "$1" | tar -x -C "$2" --exclude="./usr/lib/tollgate/node*" ' +
    '--exclude="./usr/lib/tollgate/packages"'
  execFileSync('sh', ['-c', unpack, 'sh', file, folder])
  const sums = join(folder, 'DEBIAN', 'md5sums')
  const kept = readFileSync(sums, 'utf8').replace(
    /^.* {2}usr\/lib\/tollgate\/(?:node|packages).*\n/gm,
    '',
  )
  writeFileSync(sums, kept)
  execFileSync('dpkg-deb', [
    '--root-owner-group',
    '-Zxz',
    '-z1',
    '--build',
    folder,
    `${folder}.deb`,
  ])
  rmSync(folder, { recursive: true })
  return `${folder}.deb`
}
