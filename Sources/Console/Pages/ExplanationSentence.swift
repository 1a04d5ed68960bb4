import JSON

/// The words of an explanation.
enum ExplanationSentence {
    /// Returns the verdict in one sentence, and each step that refuses a sign-in in one, with their remedies.
    static func banners(_ result: JSONValue) -> [Banner] {
        let steps = result["steps"]?.items ?? []
        let cause = steps.first { $0["step"] == result["cause"] }
        let warning = steps.filter { $0["outcome"]?.text == "warns" }
        // A reader who calls is rarely one with a session: no good verdict hides a refused sign-in.
        if result["opens"]?.boolValue == true, !warning.isEmpty {
            return warning.map {
                Banner.problem(refusal(of: $0, result), details: remedy(of: $0), label: "Sign-in refused:")
            }
        }
        return [verdict(result, cause)]
            + warning.map { Banner.note("A sign-in is refused as well\(because($0)).", details: remedy(of: $0)) }
    }

    private static func refusal(of step: JSONValue, _ result: JSONValue) -> String {
        """
        A session that exists can read \(result["edition"]?.text ?? ""), but a sign-in is refused\(because(step)).
        """
    }

    private static func because(_ step: JSONValue) -> String {
        let reason = step["reason"]?.text.map { " (\($0))" } ?? ""
        return ", because of this step: \(name(ofStep: step["step"]?.text ?? ""))\(reason)"
    }

    private static func remedy(of step: JSONValue) -> [String] { step["remedy"]?.text.map { ["Remedy: \($0)"] } ?? [] }

    /// - Parameter cause: The step that prevents the reader from reading; nil for none.
    private static func verdict(_ result: JSONValue, _ cause: JSONValue?) -> Banner {
        let edition = result["edition"]?.text ?? ""
        let remedy = (cause?["remedy"]?.text ?? result["remedy"]?.text).map { ["Remedy: \($0)"] } ?? []
        let reason = (result["reason"]?.text ?? cause?["reason"]?.text).map { " (\($0))" } ?? ""
        let because = cause.map { ", because this step fails: \(name(ofStep: $0["step"]?.text ?? ""))" } ?? ""
        if result["opens"]?.boolValue == true {
            return result["verdict"]?.text == "granted_in_outage"
                ? .note(
                    "\(edition) opens, with short-lived credentials while the subscriber system is unavailable.",
                    label: "Opens:")
                : .good("\(edition) opens for this reader.", label: "Opens:")
        }
        switch result["verdict"]?.text {
        case "undecided":
            return .note(
                "It is not known whether \(edition) opens, because it depends on something that cannot be seen from here.",
                details: remedy, label: "Not known:")
        case "unavailable":
            return .problem(
                "\(edition) does not open now, because a system is unavailable\(reason).", details: remedy,
                label: "Does not open:")
        default:
            return .problem(
                "\(edition) does not open for this reader\(because)\(reason).", details: remedy,
                label: "Does not open:")
        }
    }

    static func name(ofOutcome code: String) -> String {
        switch code {
        case "warns": "prevents a sign-in"
        case "not_applicable": "does not matter"
        default: code
        }
    }

    static func name(ofStep code: String) -> String {
        switch code {
        case "reader": "Known to a subscriber system"
        case "throttle": "Wrong passwords"
        case "subscription": "Subscription"
        case "purchases": "Purchases in app stores"
        case "policy": "Included by the policy"
        case "catalogue": "In the catalogue and published"
        case "verdict": "Decision of the subscriber system"
        case "devices": "Limit of devices"
        case "sessions": "Session"
        case "credentials": "Lifetime of the credentials"
        case "file": "File on this machine"
        default: code
        }
    }
}
