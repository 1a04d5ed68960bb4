import Primitives

/// A result that is known without a query while its inputs are unchanged.
///
/// Its effects have not happened yet. The caller commits them with ``AuthorizationService/commit(_:)`` each time it
/// returns the result to a reader.
public struct ImmediateResult<Value: Sendable>: Sendable {
    public let response: Value
    public let validity: CacheValidity
    public let reusability: Reusability
    public let effects: Effects

    init(
        _ response: Value, _ validity: CacheValidity, _ event: AuthorizationEvent? = nil,
        denialUpdates: [DenialCache.Update] = [], reusability: Reusability = .same
    ) {
        self.response = response
        self.validity = validity
        self.reusability = reusability
        effects = Effects(event: event, denialUpdates: denialUpdates, validity: validity)
    }
}

/// The event and the denials to record each time a result is returned.
public struct Effects: Sendable {
    let event: AuthorizationEvent?
    /// The results for the denial cache, valid while the result is current.
    let denialUpdates: [DenialCache.Update]
    let validity: CacheValidity
}

extension AuthorizationService {
    /// Commits the effects of a result and returns the result.
    func commit<Value>(_ immediate: ImmediateResult<Value>) -> Value {
        commit(immediate.effects)
        return immediate.response
    }

    /// Commits the effects of a result that the caller returns to a reader.
    public func commit(_ effects: Effects) {
        // A denial that was recorded after the result was found must not be undone by the result.
        let isCurrent = effects.denialUpdates.isEmpty || effects.validity.holds(at: clock.now)
        for update in effects.denialUpdates where update.isRejection || isCurrent {
            denials.record(update.key, update.denial)
        }
        if let event = effects.event { observe(event) }
    }

    /// The current version of the state that every result of this publication depends on. Read it before a result
    /// is computed.
    var validity: CacheValidity {
        CacheValidity([revocations.changes.baseline, publication.rule.currentCatalogue.changes.baseline])
    }
}
