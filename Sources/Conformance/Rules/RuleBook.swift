/// All rules, in the order of a report.
package enum RuleBook {
    package static let rules: [Rule] =
        CacheRules.all + DocumentRules.all + RejectionRules.all + StateRules.all + IssueRules.all + CredentialsRules.all
        + TokenRules.all + PathRules.all + MalformedRules.all + FailureRules.all + EchoRules.all + TLSRules.all
        + GateRules.all + SharedCacheRules.all + TimingRules.all
}
