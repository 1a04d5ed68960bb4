import Gatefold

/// Answers as one backend does, and asks another the same questions to compare.
///
/// The watched backend changes no answer, delays none and fails none: it is asked on the side, by so many questions at once
/// and no more, and readers and tokens never hear of it.
struct ShadowBackend: SubscriberBackend {
    let name: String
    let serves: any SubscriberBackend
    let watch: ShadowWatch

    func answersFor(_ backend: String) -> Bool { backend == name || serves.answersFor(backend) }

    func reads(_ form: Credentials.Form) -> Bool { serves.reads(form) }

    /// The watched backend hears of nobody who registers.
    var registry: (any SubscriberRegistry)? { serves.registry }

    var decidingFields: Set<String> { serves.decidingFields }

    func recognise(_ credentials: Credentials, inquiry: Inquiry) async throws -> Recognition {
        let comparison = watch.recognise(credentials, inquiry)
        do {
            let answer = try await serves.recognise(credentials, inquiry: inquiry)
            comparison?.resolve(answer)
            return answer
        } catch {
            comparison?.resolve(nil)
            throw error
        }
    }

    func subscription(of subscriber: Subscriber, inquiry: Inquiry) async throws -> Subscription {
        let comparison = watch.subscription(of: subscriber, inquiry)
        do {
            let answer = try await serves.subscription(of: subscriber, inquiry: inquiry)
            comparison?.resolve(answer)
            return answer
        } catch {
            comparison?.resolve(nil)
            throw error
        }
    }

    func verdict(
        on edition: EditionID?, for subscriber: Subscriber, inquiry: Inquiry
    ) async throws -> EditionVerdict? {
        let comparison = watch.verdict(on: edition, for: subscriber, inquiry)
        do {
            let answer = try await serves.verdict(on: edition, for: subscriber, inquiry: inquiry)
            comparison?.resolve(answer)
            return answer
        } catch {
            comparison?.resolve(nil)
            throw error
        }
    }

    func rememberedSubscription(of subscriber: Subscriber, inquiry: Inquiry) -> Remembered<Subscription>? {
        ofUncompared(subscriber) { serves.rememberedSubscription(of: subscriber, inquiry: inquiry) }
    }

    func rememberedVerdict(
        on edition: EditionID, for subscriber: Subscriber, inquiry: Inquiry
    ) -> Remembered<RememberedVerdict>? {
        ofUncompared(subscriber) { serves.rememberedVerdict(on: edition, for: subscriber, inquiry: inquiry) }
    }

    /// What the one that serves remembers, of readers who are not compared.
    ///
    /// Those who are, are compared at every verification and every edition: an answer from memory alone would end that, so
    /// nothing is known of them without asking. What is known of the others stands until somebody else is compared, too.
    private func ofUncompared<Value: Sendable>(
        _ subscriber: Subscriber, _ look: () -> Remembered<Value>?
    ) -> Remembered<Value>? {
        let standing = watch.standing
        guard !watch.compares(subscriber), let known = look() else { return nil }
        return Remembered(known.value, standing: standing.joined(with: known.standing))
    }

    func renew(_ subscriber: Subscriber, inquiry: Inquiry) async throws -> Recognition {
        try await serves.renew(subscriber, inquiry: inquiry)
    }

    func grantsFeed(to subscriber: Subscriber) -> Bool { serves.grantsFeed(to: subscriber) }

    func signOut(_ subscriber: Subscriber, inquiry: Inquiry) async throws {
        watch.signOut(subscriber, inquiry)
        try await serves.signOut(subscriber, inquiry: inquiry)
    }
}
