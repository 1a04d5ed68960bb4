package import Gatefold

/// The reason that a campaign stopped. Tokens that were not reached are not counted, and a restarted campaign
/// continues with them.
package enum PushCampaignError: Error, Sendable, Equatable, CustomStringConvertible {
    /// APNs rejects the key, the certificate, the topic or the payload.
    case rejected(APNsReason)
    /// APNs considers new provider tokens expired.
    case clock
    /// The two sides do not trust each other's TLS certificates.
    case untrusted
    /// APNs repeatedly could not be reached.
    case unavailable(String)
    /// None of the first tokens is known in this environment or for this app.
    case unknownTokens(Int, PushCampaign)
    /// Another process is sending this campaign.
    case alreadyRunning(String)
    /// A campaign of another app, environment or publication has this name.
    case otherCampaign(String)

    /// A Boolean value that indicates whether the cause is temporary, so that a later attempt may succeed.
    package var isTemporary: Bool {
        switch self {
        case .unavailable, .alreadyRunning: true
        case .rejected, .clock, .untrusted, .unknownTokens, .otherCampaign: false
        }
    }

    package var description: String {
        switch self {
        case .rejected(let reason):
            "APNs rejects the notifications (\(reason)): \(Self.advice(reason))"
        case .clock:
            "APNs treats new provider tokens as expired (403 ExpiredProviderToken); expected a correct clock"
        case .untrusted:
            "no TLS connection to APNs: expected a server certificate of a trusted authority, and, where a client "
                + "certificate authenticates the app, one that APNs accepts"
        case .unavailable(let cause): "APNs is unavailable: \(cause); start the campaign again to continue"
        case .unknownTokens(let count, let campaign):
            "APNs knows none of the first \(count) tokens; expected tokens of this app and environment. None was removed; "
                + "`\(CampaignCommand.send(campaign)) --remove-unknown`\(CampaignCommand.caveat(campaign)) removes them "
                + "and continues"
        case .alreadyRunning(let name): "the campaign \(name) is being sent by another process"
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
        case "PayloadTooLarge", "PayloadEmpty": "expected a payload of at most \(PushPayload.maxSize) bytes"
        default: "expected settings of this app that Apple accepts"
        }
    }
}
