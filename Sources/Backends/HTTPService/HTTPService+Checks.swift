import Gatefold
import Primitives
import Settings

/// Checks at startup, so that a configuration mistake neither rejects every reader nor admits everyone later.
extension HTTPService {
    /// Checks that every configured variable and account can be sent. Otherwise the service would reject every
    /// reader or verify nothing.
    func checkConstants(_ settings: SettingsSection) throws(SettingsError) {
        for call in calls.values.sorted(by: { $0.purpose.rawValue < $1.purpose.rawValue }) {
            for variant in variants {
                do {
                    try call.check(constants: variant.constants, authorization: authorization)
                } catch {
                    throw try settings.section("calls").error(
                        call.purpose.rawValue,
                        expected: "a variable or an account cannot be sent where the request uses it: nothing empty "
                            + "in a path, no colon in a user, no control characters, no spaces around a header")
                }
            }
        }
    }

    /// Checks that a page from an intermediary cannot be read as a state, such as a state without a period. Only a
    /// value that must be present proves that the response comes from the service.
    func checkEvidence(_ settings: SettingsSection) throws(SettingsError) {
        guard !subscription.hasEvidence else { return }
        let state = try settings.section("subscription").section("state")
        let isByField = try state.string("by", default: "field") == "field"
        let fails = { (key: String) throws(SettingsError) in try state.string(key, default: "fail") == "fail" }
        var isBlankAWord = false
        for name in SubscriptionState.allCases.map(\.rawValue) {
            let words = try state.strings(name) ?? []
            isBlankAWord = isBlankAWord || words.contains { $0.allSatisfy(\.isWhitespace) }
        }
        let isShown =
            switch subscription.expression(try state.string("from", default: "state")) {
            case nil, .status: false
            case .text, .header: try fails("other")
            case .some(let expression): expression.isEvidence
            }
        guard isByField, try fails("empty"), !isBlankAWord, isShown else {
            throw try settings.section("calls").section("subscription").error(
                "authenticated",
                expected: "missing; expected `when` or `has`, because an intermediary's page would be read as a state")
        }
    }

    /// Checks that every name in a template denotes exactly one value, and that the value is available when the
    /// template is rendered.
    func checkNames(_ settings: SettingsSection, constants: Set<String>) throws(SettingsError) {
        let typed = Set([identifier] + proofs)
        let common = constants.union(typed).union(["identifier"])
        let section = try settings.section("calls")
        func require(
            _ names: Set<String>, among known: Set<String>, _ section: SettingsSection, _ key: String
        ) throws(SettingsError) {
            if let unknown = names.subtracting(known).min() {
                throw section.error(
                    key, expected: "`{\(unknown)}` is none of \(known.sorted().joined(separator: ", "))")
            }
        }
        try require(signIn.names, among: common, section, "sign_in")
        // A proof that the reader enters and the call does not send would admit everyone.
        if let unsent = Set([identifier] + proofs).subtracting(signIn.names)
            .subtracting(signIn.names.contains("identifier") ? [identifier] : []).min()
        {
            throw section.error(
                "sign_in", expected: "expected `{\(unsent)}` somewhere, because the reader enters it")
        }
        let read = Set(signIn.read)
        if let twice = read.intersection(common.union(["key", "edition"])).min() {
            throw section.error("sign_in", expected: "`read` has the name `\(twice)`, which is taken")
        }
        for call in calls.values.sorted(by: { $0.purpose.rawValue < $1.purpose.rawValue }) {
            switch call.purpose {
            case .signIn: break
            case .health: try require(call.names, among: constants, section, "health")
            case .verdict:
                try require(call.names, among: common.union(read).union(["key", "edition"]), section, "verdict")
            default:
                try require(call.names, among: common.union(read).union(["key"]), section, call.purpose.rawValue)
            }
        }
        try require(key.names, among: common.union(read), settings, "key")
        if let missing = mapping.fields.subtracting(Set(subscription.read).union(retainedFields).union(["key"])).min() {
            throw settings.error(
                "subscription", expected: "reads `\(missing)`, which the call `subscription` does not read")
        }
    }
}
