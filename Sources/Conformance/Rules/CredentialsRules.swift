import Gatefold
import Primitives
import XML

/// The rules about edition credentials: their recipients and their format.
///
/// Source: Pugpig protocol, “Edition credentials”.
enum CredentialsRules {
    static let all = [
        held, notEntitled, emptyProduct, useridFormat, useridIsPrivate, useridIsFresh, passwordFormat, password,
        feedPassword,
        feedPasswordIssued, headers,
    ]

    private static let none = "no credentials were issued"

    static let held = Rule(
        "credentials-held", "A reader receives credentials for each edition that the reader holds",
        source: "Pugpig protocol: Edition credentials; Pugpig test endpoint and test console: Test users",
        fix: "Decide by the same list as verification."
    ) { evidence in
        let requested = evidence.plain(.editionCredentials).map(\.exchange)
        return .each(requested, none: "no case names an edition that its reader holds") { exchange in
            guard let response = exchange.response else { return nil }
            if response.status != 200 { return "the HTTP status is \(response.status)" }
            guard let root = exchange.root else { return nil }
            return root.credentials == nil ? "the userid or the password is missing" : nil
        }
    }

    static let notEntitled = Rule(
        "credentials-unheld", "A reader receives no credentials for an edition that the reader does not hold",
        source: "Pugpig protocol: Edition credentials; Pugpig test endpoint and test console: Test users",
        fix: "Decide by the same list as verification."
    ) { evidence in
        .each(evidence.exchanges(.notEntitled), none: "no case names an edition that its reader lacks") { exchange in
            exchange.root?.credentials == nil ? nil : "a userid and a password were issued"
        }
    }

    static let emptyProduct = Rule(
        "credentials-no-product", "No credentials are issued without a product",
        source: "Design rules: Edition credentials fit any verifier; Pitfall 4",
        fix: "Refuse a missing and an empty product_id: with an empty edition, the formula produces the password of "
            + "the feed."
    ) { evidence in
        .each(evidence.exchanges(.missingProduct), none: "no reader is known") { exchange in
            exchange.root?.credentials == nil ? nil : "a userid and a password were issued"
        }
    }

    static let useridFormat = Rule(
        "credentials-userid", "The userid and the password can be separated in HTTP Basic",
        source: "Design rules: Edition credentials fit any verifier; Pitfall 3; RFC 7617 section 2",
        fix: "Use no colon, no control character and no space in a userid: the password begins after the first colon."
    ) { evidence in
        .of(evidence.granted, none: none) { exchange, _, userid, _ in
            if userid.contains(":") { return Finding("the userid has a colon", exchange) }
            let isPlain = userid.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F }
            return isPlain ? nil : Finding("the userid has a space or a control character", exchange)
        }
    }

    static let useridIsPrivate = Rule(
        "credentials-userid-token", "The userid is not the token",
        source: "Edition credentials and the content gate: Userid",
        fix: "Use random characters: every server on the way can read HTTP Basic, and the token alone authenticates "
            + "the reader."
    ) { evidence in
        .of(evidence.granted, none: none) { exchange, _, userid, _ in
            guard let key = exchange.probe.reader.flatMap({ evidence.tokens[$0] }), key.utf8.count >= 6,
                userid.contains(key)
            else { return nil }
            return Finding("the userid contains the reader's token", exchange)
        }
    }

    static let useridIsFresh = Rule(
        "credentials-userid-fresh", "Each request returns a new userid",
        source: "Edition credentials and the content gate: Userid",
        fix:
            "Generate a random userid for each response, so that an intercepted userid identifies no reader and can be "
            + "revoked separately."
    ) { evidence in
        var times: [String: Int] = [:]
        for issued in evidence.granted { times[issued.userid, default: 0] += 1 }
        guard evidence.granted.count > 1 else { return .skipped("credentials were issued fewer than two times") }
        return .of(evidence.granted, none: none, as: .warning) { exchange, _, userid, _ in
            times[userid, default: 0] > 1 ? Finding("the userid was issued before", exchange) : nil
        }
    }

    static let passwordFormat = Rule(
        "credentials-password-form", "The password has 40 lower-case hexadecimal digits",
        source: "Edition credentials and the content gate: Password formula",
        fix: "Write the SHA-1 in lower-case hexadecimal, because gates compare it byte by byte."
    ) { evidence in
        .of(evidence.granted, none: none) { exchange, _, _, password in
            EditionPassword.isWellFormed(password) ? nil : Finding("it has another form", exchange)
        }
    }

    static let password = Rule(
        "credentials-password", "The password is the SHA-1 of edition:userid:secret",
        source: "Edition credentials and the content gate: Password formula",
        fix:
            "Hash the requested product id, the userid and the secret, separated by colons, in UTF-8. Check that both "
            + "sides have the same secret."
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
        "credentials-feed-password", "The feed password is the SHA-1 of :token:secret",
        source: "Edition credentials and the content gate: Feed password",
        fix:
            "Use the formula of edition passwords with an empty edition and the token as the userid. Check that both "
            + "sides have the same secret."
    ) { evidence in
        let issued = evidence.direct.compactMap { exchange in
            exchange.root.flatMap { root in root.token.map { (exchange, $0, root.attributes["global_auth_password"]) } }
        }.compactMap { exchange, token, password in password.map { (exchange, token, $0) } }
        return .of(issued, none: "no sign-in returned a feed password") { exchange, token, password in
            guard EditionPassword.isWellFormed(password) else { return Finding("it has another form", exchange) }
            guard let secret = evidence.cases.secret else { return nil }
            let right = EditionPassword.makeForFeed(token: token, secret: secret)
            return isEqualInConstantTime(right.utf8, password.utf8)
                ? nil : Finding("it is not the one that the secret gives", exchange)
        }
    }

    static let feedPasswordIssued = Rule(
        "credentials-feed-given", "Only readers of a feed that varies by reader receive the feed password",
        source: "Pugpig protocol: Attribute with the feed password; Pugpig test endpoint and test console: Test users",
        fix: "Write global_auth_password exactly where the feed varies by reader."
    ) { evidence in
        let known = evidence.plain(.signIn).filter {
            $0.reader.hasOwnFeed != nil && $0.exchange.root?.token != nil
        }
        return .of(known, none: "no case has feed_password") { reader, exchange in
            let has = exchange.root?.attributes["global_auth_password"] != nil
            return has == reader.hasOwnFeed
                ? nil : Finding("global_auth_password is \(has ? "present" : "missing")", exchange)
        }
    }

    static let headers = Rule(
        "credentials-headers", "Header elements are valid as HTTP header fields",
        source: "Pugpig protocol: Header elements; RFC 9110 section 5.6.2",
        fix: "Write a name of letters, digits and hyphens, and a value without line ends and other control characters."
    ) { evidence in
        let issued = evidence.granted.map { issued in
            (issued.exchange, issued.exchange.root?.children.filter { $0.name == "header" } ?? [])
        }
        return .of(issued.filter { !$0.1.isEmpty }, none: "no credentials had header elements") { exchange, headers in
            headers.lazy.compactMap(HeaderElement.fault).first.map { Finding($0, exchange) }
        }
    }
}
