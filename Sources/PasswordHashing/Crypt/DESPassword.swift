import Primitives

/// The oldest crypt(3) formats: 13 letters, or `_` and 19 letters (crypt(5), "descrypt" and "bsdicrypt").
///
/// These formats are detected only if they are configured. Any text may have 13 letters, and the first format uses
/// only eight letters of a password, so it can be searched exhaustively.
struct DESPassword: StoredPassword {
    let scheme: PasswordScheme
    private let text: String

    init?(_ text: String) {
        let letters = Array(text.utf8)
        if letters.count == 13, Crypt64.isAll(letters) {
            scheme = .des
        } else if letters.count == 20, letters[0] == UInt8(ascii: "_"), Crypt64.isAll(letters.dropFirst()) {
            scheme = .extendedDES
        } else {
            return nil
        }
        self.text = text
    }

    private init(scheme: PasswordScheme, text: String) {
        self.scheme = scheme
        self.text = text
    }

    var isAffordable: Bool { CryptCost.isAffordable(scheme, text) }

    func matches(_ password: [UInt8]) throws(PasswordError) -> Bool {
        isEqualInConstantTime(try CryptFunction.hash(password, setting: text).utf8, text.utf8)
    }

    var dummyHash: DESPassword {
        DESPassword(scheme: scheme, text: text.dropLast(11) + String(repeating: ".", count: 11))
    }
}
