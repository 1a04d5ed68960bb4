/// Why a campaign can not go on. Nobody it did not come to is counted: started again, it goes on there.
package enum PushStop: Error, Sendable, Equatable, CustomStringConvertible {
    /// APNs refuses the key, the certificate, the topic or the payload.
    case refused(APNsReason)
    /// Its provider tokens look expired when they are new.
    case clock
    /// No connection is trusted by both sides.
    case untrusted
    /// It could not be asked, again and again.
    case unavailable(String)
    /// Not one of the first tokens is known in this environment or for this app.
    case strangers(Int)
    /// Another process sends this campaign at the moment.
    case underWay(String)
    /// The name is that of a campaign of another app, environment or publication.
    case otherCampaign(String)

    /// Whether waiting is all that it needs.
    package var isPassing: Bool {
        switch self {
        case .unavailable, .underWay: true
        case .refused, .clock, .untrusted, .strangers, .otherCampaign: false
        }
    }

    package var description: String {
        switch self {
        case .refused(let reason):
            "APNs refuses the notifications (\(reason)): \(Self.advice(reason))"
        case .clock:
            "APNs takes new provider tokens for expired (403 ExpiredProviderToken); expected a clock that is right"
        case .untrusted:
            "no TLS connection to APNs: expected a server certificate of a trusted authority, and, where a client "
                + "certificate authenticates the app, one that APNs accepts"
        case .unavailable(let cause): "APNs can not be asked: \(cause); start the campaign again to go on"
        case .strangers(let count):
            "APNs knows none of the first \(count) tokens; expected tokens of this app and environment. None was removed; "
                + "`gatefold push send --forget-unknown` removes them and goes on"
        case .underWay(let name): "the campaign \(name) is being sent by another process"
        case .otherCampaign(let name):
            "the campaign \(name) is one of another app, environment or publication; expected another name"
        }
    }

    private static func advice(_ reason: APNsReason) -> String {
        switch reason.text {
        case "InvalidProviderToken", "MissingProviderToken":
            "expected the team, key_id and key that belong together, and a key that may send notifications"
        case "BadCertificate", "BadCertificateEnvironment":
            "expected the certificate of this app and environment"
        case "BadTopic", "MissingTopic", "TopicDisallowed":
            "expected a bundle identifier that this key or certificate may send to"
        case "PayloadTooLarge", "PayloadEmpty": "expected a payload of at most \(PushPayload.largest) bytes"
        default: "expected settings of this app that Apple accepts"
        }
    }
}
