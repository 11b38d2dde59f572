/** Lower case, without the signs of accents. */
function listed(text: string): readonly string[] {
  return text.trim().split(/\s+/)
}

const PASSWORD_WORDS = listed(`
  password passwort passwd passw kennwort geheim contrasena contrasenia senha motdepasse parola
  haslo wachtwoord lozinka secret secure security private hidden letmein changeme default
  temporary temp login logon signin access enter open unlock admin administrator root superuser
  master manager user username guest demo test testing tester trial sample example start hello
  hallo hola bonjour welcome willkommen bienvenue bienvenido computer internet windows google
  facebook linkedin microsoft apple samsung android iphone nokia server database oracle system
  network trustno
`)

const PET_WORDS = listed(`
  iloveyou love loveme lovely lover forever always baby babygirl babyboy angel princess prince
  queen king sunshine rainbow flower butterfly star heart happy smile friend friends family mother
  mommy father daddy sister brother honey sweet sweetie sugar cookie chocolate cheese banana
  orange cherry monkey dragon tiger lion eagle falcon horse dolphin puppy kitty cat dog bear bunny
  panther wolf shadow killer hunter ranger soldier warrior phoenix lucky magic ninja pirate wizard
  batman superman spiderman pokemon pikachu naruto starwars matrix mustang ferrari porsche harley
  corvette mercedes football baseball basketball soccer hockey tennis golf fussball futbol
  liverpool arsenal chelsea barcelona juventus manchester yankees cowboys steelers lakers rangers
  player gamer winner champion freedom summer winter spring autumn sommer whatever nothing
  something anything fuckyou fuck asshole bitch sexy pussy minecraft fortnite playstation
  warhammer starcraft warcraft counterstrike jamesbond alpha omega chicken blink purple yellow
  green silver golden black white blue red diamond ginger
`)

const NAMES = listed(`
  michael jordan michelle daniel jessica ashley andrew thomas robert charlie george matthew joshua
  william james jennifer amanda nicole anthony alexander alexandra martin maria marina anna andrea
  jasmine samantha elizabeth christian christopher richard patrick steven stephen justin brandon
  jonathan nicholas benjamin maggie hannah peter david jesus christ buster bailey tigger snoopy
`)

const CALENDAR = listed(`
  january february march april may june july august september october november december januar
  februar mai juni juli oktober dezember monday tuesday wednesday thursday friday saturday sunday
`)

const TRADE_WORDS = listed(`
  tollgate gateway payment payments paygate pay card cards credit debit bank banking merchant shop
  store webshop checkout order orders invoice money cash dollar euro account portal sandbox
  finance support developer owner company office business visa mastercard amex api
`)

const KEYBOARD_ROWS = listed(`
  abcdefghijklmnopqrstuvwxyz 01234567890 qwertyuiop qwertzuiop azertyuiop asdfghjkl qsdfghjklm
  zxcvbnm yxcvbnm wxcvbn 1q2w3e4r5t6y7u8i9o0p q1w2e3r4t5y6u7i8o9p0 1qaz2wsx3edc4rfv5tgb6yhn7ujm
  qazwsxedcrfvtgbyhnujm 147258369 741852963 159357 a1s2d3f4g5h6j7k8l9 1a2s3d4f5g6h7j8k9l
  z1x2c3v4b5n6m7 1z2x3c4v5b6n7m qawsedrftgyhujikolp 12qw34er56ty78ui90op 112233445566778899
  4815162342 123321 !@#$%^&*() !"§$%&/()=
`)

/** Lists of stolen passwords have these words most often, in a few languages. */
export const COMMON_WORDS: readonly string[] = [
  ...PASSWORD_WORDS,
  ...PET_WORDS,
  ...NAMES,
  ...CALENDAR,
  ...TRADE_WORDS,
]

/** Signs that stand side by side on a keyboard or in the alphabet, in both directions. */
export const ROWS: readonly string[] = KEYBOARD_ROWS.flatMap((row) => [
  row,
  [...row].toReversed().join(''),
])
