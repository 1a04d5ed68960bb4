import Gatefold
import OutgoingRequests
import Settings

/// A subscriber service as configured: its calls and what goes into them.
struct HTTPService: Sendable {
    /// One of several sets of constants with which the calls may be made, such as a brand's.
    struct Variant: Sendable {
        /// Nil where there is only one.
        let name: String?
        let constants: [String: String]
    }

    /// Which of the variants that recognise a reader is the reader's.
    enum Preference: String, Sendable, CaseIterable {
        case first
        /// The first with an active subscription, else the last that recognises.
        case active
    }

    let identifier: String
    let proofs: [String]
    let variants: [Variant]
    let preference: Preference
    let key: Template
    let authorization: AuthorizationSettings
    let mapping: SubscriptionMapping
    let calls: [ServiceCall.Purpose: ServiceCall]
    let signIn: ServiceCall
    let subscription: ServiceCall
    /// The names of the values that later calls need from sign-in.
    let kept: Set<String>
    /// Those that a reader's verdict on refusal shows.
    let verdictMessage: String?

    init(_ settings: SettingsSection) throws(SettingsError) {
        let fields = try settings.section("credentials")
        identifier = try fields.string("identifier", default: "username")
        proofs = try fields.strings("proofs") ?? ["password"]
        try fields.finish()
        variants = try Self.variants(settings)
        preference = try settings.choice("prefer", default: .first)
        key =
            try settings.has("key")
            ? settings.using("key") { text throws(Template.Unusable) in try Template(text) }
            : Template(parts: [.value("identifier")])
        authorization = try AuthorizationSettings(in: settings) ?? .none
        guard authorization.names.isEmpty || authorization.names.isSubset(of: Set(variants[0].constants.keys)) else {
            throw settings.error(
                "authorization", expected: "expected a reader's values in a call's own authorization only")
        }
        mapping = try SubscriptionMapping(try settings.section("subscription"))
        let made = try Self.calls(settings, isAuthorizedByUs: authorization.isOurs, needing: mapping.endOfBegun)
        calls = made.calls
        verdictMessage = made.verdictMessage
        guard let signIn = calls[.signIn], let subscription = calls[.subscription] else {
            throw settings.error("calls", expected: "expected at least `sign_in` and `subscription`")
        }
        self.signIn = signIn
        self.subscription = subscription
        let constants = Set(variants[0].constants.keys)
        kept = Set(calls.values.filter { $0.purpose != .signIn && $0.purpose != .health }.flatMap(\.names))
            .subtracting(constants).subtracting(["key", "edition"])
        try checkNames(settings, constants: constants)
        try checkConstants(settings)
        try checkEvidence(settings)
    }

    func call(_ purpose: ServiceCall.Purpose) -> ServiceCall? { calls[purpose] }

    private static func calls(
        _ settings: SettingsSection, isAuthorizedByUs: Bool, needing end: String?
    ) throws(SettingsError) -> (calls: [ServiceCall.Purpose: ServiceCall], verdictMessage: String?) {
        var base: ServiceURL?
        if let text = try settings.string("base") {
            guard let url = ServiceURL(text) else {
                throw settings.error("base", expected: "expected an http or https URL without user name or fragment")
            }
            base = url
        }
        let namespaces = try settings.section("namespaces")
        var uris: [String: String] = [:]
        for prefix in namespaces.names { uris[prefix] = try namespaces.requiredString(prefix, expected: "a URI") }
        let sections = try settings.section("calls")
        var calls: [ServiceCall.Purpose: ServiceCall] = [:]
        var verdictMessage: String?
        for purpose in ServiceCall.Purpose.allCases where sections.has(purpose.rawValue) {
            let section = try sections.section(purpose.rawValue)
            if purpose == .verdict { verdictMessage = try section.string("message") }
            let call = try ServiceCall(
                purpose, section, base: base, namespaces: uris, isAuthorizedByUs: isAuthorizedByUs,
                needing: purpose == .subscription ? end : nil)
            if let verdictMessage, purpose == .verdict, !call.read.contains(verdictMessage) {
                throw section.error("message", expected: "expected a name that `read` has")
            }
            calls[purpose] = call
        }
        try sections.finish()
        return (calls, verdictMessage)
    }

    private static func variants(_ settings: SettingsSection) throws(SettingsError) -> [Variant] {
        let common = try constants(try settings.section("variables"))
        let section = try settings.section("variants")
        var variants: [Variant] = []
        for name in section.names where section.has(name) {
            let own = try constants(try section.section(name))
            variants.append(Variant(name: name, constants: common.merging(own) { $1 }))
        }
        if variants.isEmpty { return [Variant(name: nil, constants: common)] }
        let names = Set(variants[0].constants.keys)
        for variant in variants where Set(variant.constants.keys) != names {
            throw section.error(variant.name ?? "", expected: "expected the same names in every variant")
        }
        return variants
    }

    private static func constants(_ section: SettingsSection) throws(SettingsError) -> [String: String] {
        var values: [String: String] = [:]
        for name in section.names where section.has(name) {
            guard Template.isName(name), !["key", "edition", "identifier"].contains(name) else {
                throw section.error(name, expected: "expected another name, of letters, digits, - and _")
            }
            if case .scalar(let text, _) = section.written(name)?.content {
                values[name] = text
            } else {
                values[name] = try section.foreignSecret(name)
            }
        }
        return values
    }
}
