import Gatefold
import XML

/// Edition credentials: who is given them, and what they look like (PROTOCOLS 1.2).
enum CredentialsRules {
    static let all = [
        held, unheld, emptyProduct, useridForm, useridIsPrivate, useridIsFresh, passwordForm, password, feedPassword,
        feedPasswordGiven, headers,
    ]

    private static let none = "no credentials were given"

    static let held = Rule(
        "credentials-held", "A reader is given credentials for each edition that the reader holds",
        source: "PROTOCOLS 1.2, 1.3", fix: "Decide by the same list as verification."
    ) { evidence in
        let asked = evidence.plain(.editionCredentials).map(\.exchange)
        return .each(asked, none: "no reader is known who holds an edition") { exchange in
            guard let answer = exchange.answer else { return nil }
            if answer.status != 200 { return "answered with \(answer.status)" }
            guard let root = exchange.root else { return nil }
            return root.credentials == nil ? "there is no userid, or no password" : nil
        }
    }

    static let unheld = Rule(
        "credentials-unheld", "A reader is given none for an edition that the reader does not hold",
        source: "PROTOCOLS 1.2, 1.3", fix: "Decide by the same list as verification."
    ) { evidence in
        .each(evidence.exchanges(.unheld), none: "no reader is known who lacks an edition") { exchange in
            exchange.root?.credentials == nil ? nil : "there are a userid and a password"
        }
    }

    static let emptyProduct = Rule(
        "credentials-no-product", "Without a product there are no credentials",
        source: "DESIGN “Edition credentials”; PITFALLS 4",
        fix: "Refuse a missing and an empty product_id: the formula with an empty edition is the feed's password."
    ) { evidence in
        .each(evidence.exchanges(.missingProduct), none: "no reader is known") { exchange in
            exchange.root?.credentials == nil ? nil : "there are a userid and a password"
        }
    }

    static let useridForm = Rule(
        "credentials-userid", "The userid can be told from the password in HTTP Basic",
        source: "DESIGN “Edition credentials”; PITFALLS 3; RFC 7617 section 2",
        fix: "No colon, no control character and no space in a userid: behind the first colon the password begins."
    ) { evidence in
        .of(evidence.granted, none: none) { exchange, _, userid, _ in
            if userid.contains(":") { return Finding("the userid has a colon", exchange) }
            let isPlain = userid.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F }
            return isPlain ? nil : Finding("the userid has a space or a control character", exchange)
        }
    }

    static let useridIsPrivate = Rule(
        "credentials-userid-token", "The userid is not the token", source: "PROTOCOLS 1.2, 6A row 3",
        fix: "Use random characters: HTTP Basic can be read on the way, and whoever has the token is the reader."
    ) { evidence in
        .of(evidence.granted, none: none) { exchange, _, userid, _ in
            guard let key = exchange.probe.reader.flatMap({ evidence.tokens[$0] }), key.utf8.count >= 6,
                userid.contains(key)
            else { return nil }
            return Finding("the userid holds the reader's token", exchange)
        }
    }

    static let useridIsFresh = Rule(
        "credentials-userid-fresh", "Each request gives another userid", source: "PROTOCOLS 1.2, 6A row 3",
        fix:
            "Make a new random userid for each answer, so that one that was overheard names nobody and can be ended alone."
    ) { evidence in
        var times: [String: Int] = [:]
        for given in evidence.granted { times[given.userid, default: 0] += 1 }
        guard evidence.granted.count > 1 else { return .skipped("credentials were given less than twice") }
        return .of(evidence.granted, none: none, as: .warning) { exchange, _, userid, _ in
            times[userid, default: 0] > 1 ? Finding("the userid was given before", exchange) : nil
        }
    }

    static let passwordForm = Rule(
        "credentials-password-form", "The password is 40 lower-case hexadecimal digits", source: "PROTOCOLS 1.2, 1.5",
        fix: "Write the SHA-1 in lower-case hexadecimal: gates compare it byte by byte."
    ) { evidence in
        .of(evidence.granted, none: none) { exchange, _, _, password in
            EditionPassword.isWellFormed(password) ? nil : Finding("it has another form", exchange)
        }
    }

    static let password = Rule(
        "credentials-password", "The password is the SHA-1 of edition:userid:secret", source: "PROTOCOLS 1.2, 1.5",
        fix:
            "Hash the product id as it was asked for, the userid and the secret, with colons between, in UTF-8; look whether both sides have the same secret."
    ) { evidence in
        guard let secret = evidence.cases.secret else { return .skipped("the secret is not known") }
        let formed = evidence.granted.filter { EditionPassword.isWellFormed($0.password) }
        return .of(formed, none: none) { exchange, edition, userid, password in
            guard let edition = EditionID(edition) else { return nil }
            let right = EditionPassword.make(edition: edition, salt: userid, secret: secret)
            return isEqualInConstantTime(right.utf8, password.utf8)
                ? nil : Finding("it is not the one that the secret gives", exchange)
        }
    }

    static let feedPassword = Rule(
        "credentials-feed-password", "The feed's password is the SHA-1 of :token:secret", source: "PROTOCOLS 1.2",
        fix:
            "Use the formula of edition passwords with an empty edition and the token in place of the userid; look whether both sides have the same secret."
    ) { evidence in
        let given = evidence.direct.compactMap { exchange in
            exchange.root.flatMap { root in root.token.map { (exchange, $0, root.attributes["global_auth_password"]) } }
        }.compactMap { exchange, token, password in password.map { (exchange, token, $0) } }
        return .of(given, none: "no sign-in brought one") { exchange, token, password in
            guard EditionPassword.isWellFormed(password) else { return Finding("it has another form", exchange) }
            guard let secret = evidence.cases.secret else { return nil }
            let right = EditionPassword.makeForFeed(token: token, secret: secret)
            return isEqualInConstantTime(right.utf8, password.utf8)
                ? nil : Finding("it is not the one that the secret gives", exchange)
        }
    }

    static let feedPasswordGiven = Rule(
        "credentials-feed-given", "Readers of a feed that varies get its password at sign-in, and no others",
        source: "PROTOCOLS 1.2, 1.3",
        fix: "Write global_auth_password exactly where the feed is another for this reader."
    ) { evidence in
        let known = evidence.plain(.signIn).filter {
            $0.reader.hasOwnFeed != nil && $0.exchange.root?.token != nil
        }
        return .of(known, none: "of no reader is it known") { reader, exchange in
            let has = exchange.root?.attributes["global_auth_password"] != nil
            return has == reader.hasOwnFeed ? nil : Finding(has ? "there is one" : "there is none", exchange)
        }
    }

    static let headers = Rule(
        "credentials-headers", "Header elements can be sent as header fields",
        source: "PROTOCOLS 1.2; RFC 9110 section 5.6.2",
        fix: "A name is letters, digits and hyphens; a value has no line ends and no other control characters."
    ) { evidence in
        let given = evidence.granted.map { given in
            (given.exchange, given.exchange.root?.children.filter { $0.name == "header" } ?? [])
        }
        return .of(given.filter { !$0.1.isEmpty }, none: "no credentials came with headers") { exchange, headers in
            headers.lazy.compactMap(HeaderElement.fault).first.map { Finding($0, exchange) }
        }
    }
}
