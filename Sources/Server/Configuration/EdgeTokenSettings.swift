import EdgeTokens
import Gatefold
import Primitives
import Settings

/// The reader of a publication's `edge_tokens` list.
enum EdgeTokenSettings {
    private enum Kind: String, CaseIterable {
        case fixed = "static"
        case akamai
        case cloudfront
    }

    private enum AkamaiTokenPlacement: String, CaseIterable {
        case cookie
        case header
    }

    static func read(
        _ publication: SettingsSection
    ) throws(SettingsError) -> [any EdgeToken] {
        var tokens: [any EdgeToken] = []
        for section in try publication.sections("edge_tokens") {
            let kind: Kind = try section.choice("kind", default: .fixed)
            switch kind {
            case .fixed: tokens.append(try fixed(section))
            case .akamai: tokens.append(try akamai(section))
            case .cloudfront: tokens.append(try cloudFront(section))
            }
            try section.finish()
        }
        return tokens
    }

    private static func fixed(_ section: SettingsSection) throws(SettingsError) -> any EdgeToken {
        let name = try section.requiredString("name", expected: "the name of a header")
        let value = try section.requiredString("value", expected: "the header's value")
        return try checked(section) { () throws(EdgeTokenError) in try StaticEdgeHeader(name: name, value: value) }
    }

    private static func akamai(
        _ section: SettingsSection
    ) throws(SettingsError) -> any EdgeToken {
        var options = AkamaiEdgeToken.Options()
        options.name = try section.string("name", default: options.name)
        let tokenPlacement: AkamaiTokenPlacement = try section.choice("placement", default: .cookie)
        options.tokenPlacement = tokenPlacement == .cookie ? .cookie : .header
        options.algorithm = try section.choice("algorithm", default: .sha256)
        options.salt = try section.privateText("salt")
        options.id = try section.string("id")
        options.data = try section.string("data")
        options.bindsAddress = try section.boolean("bind_address", default: false)
        options.includesStartTime = try section.boolean("include_start_time", default: false)
        options.escapesEarly = try section.boolean("escape_early", default: false)
        if section.has("window") { options.window = try section.duration("window", default: 300, in: 1...3_888_000) }
        guard let key = try section.secret("key") else {
            throw section.error("key", expected: "missing; expected {file: PATH} or {env: NAME}")
        }
        let url = try section.string("url")
        let acl = try section.strings("acl")
        let scope: AkamaiEdgeToken.Scope
        switch (url, acl) {
        case (let url?, nil): scope = .url(url)
        case (nil, let acl): scope = .acl(acl ?? ["/*"])
        default: throw section.error("acl", expected: "expected either acl or url, not both")
        }
        let settled = options
        return try checked(section) { () throws(EdgeTokenError) in
            try AkamaiEdgeToken(key: key, scope: scope, options: settled)
        }
    }

    private static func cloudFront(
        _ section: SettingsSection
    ) throws(SettingsError) -> any EdgeToken {
        let resource = try section.requiredString(
            "resource", expected: "a URL such as https://cdn.example.com/{edition}/*")
        let policy: CloudFrontSignedCookies.Policy = try section.choice("policy", default: .custom)
        let digest: CloudFrontSignedCookies.Digest = try section.choice("digest", default: .sha1)
        let keyPair = try section.requiredString("key_pair_id", expected: "CloudFront's identifier of the public key")
        guard let pem = try section.privateText("private_key") else {
            throw section.error("private_key", expected: "missing; expected {file: PATH} or {env: NAME}")
        }
        let window = section.has("window") ? try section.duration("window", default: 300, in: 1...3_888_000) : nil
        return try checked(section) { () throws(EdgeTokenError) in
            try CloudFrontSignedCookies(
                resource: resource, policy: policy, keyPairID: keyPair, privateKey: Secret(pem), digest: digest,
                window: window)
        }
    }

    private static func checked<Token: EdgeToken>(
        _ section: SettingsSection, _ make: () throws(EdgeTokenError) -> Token
    ) throws(SettingsError) -> Token {
        do {
            return try make()
        } catch {
            throw SettingsError(origin: section.origin, key: section.key, expected: error.description)
        }
    }
}
