import Gatefold

/// The oldest forms of crypt(3): 13 letters, or `_` and 19 (crypt(5), "descrypt" and "bsdicrypt").
///
/// Never recognised unless it is configured: 13 letters may be anything, and the first form looks at eight letters of a
/// password and can be searched whole.
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

    var decoy: DESPassword {
        DESPassword(scheme: scheme, text: text.dropLast(11) + String(repeating: ".", count: 11))
    }
}
