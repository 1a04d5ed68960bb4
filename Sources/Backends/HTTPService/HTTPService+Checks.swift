import Gatefold
import Settings

/// What is found out at the start, so that it refuses no reader and lets nobody in later.
extension HTTPService {
    /// What of ours can not be carried would refuse every reader, or ask nothing of anybody.
    func checkConstants(_ settings: SettingsSection) throws(SettingsError) {
        for call in calls.values.sorted(by: { $0.purpose.rawValue < $1.purpose.rawValue }) {
            for variant in variants {
                do {
                    try call.check(constants: variant.constants, authorization: authorization)
                } catch {
                    throw try settings.section("calls").error(
                        call.purpose.rawValue,
                        expected: "a variable or an account can not be carried where the request has it: nothing empty "
                            + "in a path, no colon in a user, no control characters, no spaces around a header")
                }
            }
        }
    }

    /// A page that something puts in between must not be read as a state, such as one without a period: only a word that
    /// has to be there shows by itself that it is the service's.
    func checkEvidence(_ settings: SettingsSection) throws(SettingsError) {
        guard !subscription.hasEvidence else { return }
        let state = try settings.section("subscription").section("state")
        let isByWord = try state.string("by", default: "word") == "word"
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
        guard isByWord, try fails("empty"), !isBlankAWord, isShown else {
            throw try settings.section("calls").section("subscription").error(
                "recognised",
                expected: "missing; expected `when` or `has`, because a page put in between would be read as a state")
        }
    }

    /// Every name in a template is one value, and is there when it is needed.
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
        // A proof that is asked for and not sent lets everybody in.
        if let forgotten = Set([identifier] + proofs).subtracting(signIn.names)
            .subtracting(signIn.names.contains("identifier") ? [identifier] : []).min()
        {
            throw section.error(
                "sign_in", expected: "expected `{\(forgotten)}` somewhere, because the reader is asked for it")
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
        if let missing = mapping.fields.subtracting(Set(subscription.read).union(kept).union(["key"])).min() {
            throw settings.error(
                "subscription", expected: "reads `\(missing)`, which the call `subscription` does not read")
        }
    }
}
