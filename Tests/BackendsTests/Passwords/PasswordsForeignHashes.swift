@testable import PasswordHashing

/// Hashes of one password as other programs would have made them with libxcrypt.
struct ForeignHash: Sendable, CustomStringConvertible {
    static let password = "correct horse"

    let scheme: PasswordScheme
    let hash: String

    init(_ scheme: PasswordScheme, _ hash: String) {
        self.scheme = scheme
        self.hash = hash
    }

    var description: String { scheme.rawValue }

    static let all = [
        ForeignHash(.md5, "$1$k2XAnEHB$gSpCGj8tputEsDyOYa0191"),
        ForeignHash(.sha256, "$5$rounds=1000$k2XAnEHBqQ1Ct2aM$CZKtMpY3YFTaUtD6aj3idKUkEw2Cgx.7d6g93aU54SD"),
        ForeignHash(
            .sha512,
            "$6$rounds=1000$k2XAnEHBqQ1Ct2aM$yfBXbHVNVf4J0eyDZhe27ipKodSqcTbLWkIV1m"
                + "TNHVmYxiLcl4/RsaWmahApFz75S0UnbNJV9U1Xwm7FGZ9ab/"),
        ForeignHash(.bcrypt2b, "$2b$04$KBCwKxOzLha2MUDgW0PjXexGfB5dmDvvvgEVjeeXiTo87i0yXWYau"),
        ForeignHash(.bcrypt2y, "$2y$04$KBCwKxOzLha2MUDgW0PjXexGfB5dmDvvvgEVjeeXiTo87i0yXWYau"),
        ForeignHash(.bcrypt2a, "$2a$04$KBCwKxOzLha2MUDgW0PjXexGfB5dmDvvvgEVjeeXiTo87i0yXWYau"),
        ForeignHash(
            .yescrypt,
            "$y$j85$k2XAnEHBqQ1Ct2aMXFKNa/HAmA1BpMnBsYHMWB4NZN4$vfnSdXxieSMbHg/Wpgq"
                + "3LIZojCr8r8sTU.mpdcIdru/"),
        ForeignHash(
            .gostYescrypt,
            "$gy$j75$k2XAnEHBqQ1Ct2aMXFKNa/HAmA1BpMnBsYHMWB4NZN4$5bpQVSvpKJRd/WxiW4"
                + "jR0r3ZdMTShX37Sk5o6w1hxPA"),
        ForeignHash(
            .scrypt,
            "$7$BU..../....k2XAnEHBqQ1Ct2aMXFKNa/HAmA1BpMnBsYHMWB4NZN4$0GznWaXs..KT"
                + "rM9kwBeDlnNE1aqivtnmxC7N3jN9yO/"),
        ForeignHash(.sha1, "$sha1$10$qI1BtUnBX7KMaJ4Nm21ApEnAsQXBW3KCZFqM$dueNkgVvEzZCw0YBT90XsfG6atef"),
        ForeignHash(.sunMD5, "$md5,rounds=45105$mA1BpMnB$$oUw5OxkTTGCSWpnVyMtSR0"),
    ]
}
