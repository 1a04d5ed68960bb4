package import Gatefold

extension GateDenial {
    /// The denial as a refused call. Its detail is the gate's own name of the reason.
    package var refusal: Refusal {
        Refusal(
            reason.refusal, .download, of: publication, subscriber: subscriber, edition: edition,
            detail: reason.description)
    }
}

extension GateDenial.Reason {
    fileprivate var refusal: RefusalReason {
        switch self {
        case .method, .severalAuthorizations, .severalCredentials, .path, .forwardedTarget: .malformedRequest
        case .unknownPrefix, .noEdition: .unknownContent
        case .missingCredentials: .editionCredentialsMissing
        case .malformedCredentials, .wrongPassword: .editionCredentialsWrong
        case .unsealedSalt: .editionCredentialsUnsealed
        case .expired, .resumptionFromStart: .editionCredentialsExpired
        case .revoked: .sessionRevoked
        case .feedCredentials: .feedCredentialsWrong
        case .fileMissing: .fileMissing
        case .untrustedPeer: .untrustedPeer
        }
    }
}
