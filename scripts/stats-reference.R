#!/usr/bin/env Rscript
# Writes tests/data/stats-r.csv: what R computes for drawn samples, in the shape of stats-reference.py's file.
#
# Needs R 4, exactRankTests and coin (Debian: r-base-core r-cran-exactranktests r-cran-coin). The seed is fixed.

suppressPackageStartupMessages(suppressWarnings({
  library(exactRankTests)
  library(coin)
}))
options(warn = -1)
set.seed(2021, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")

arguments <- commandArgs(trailingOnly = FALSE)
script <- sub("--file=", "", arguments[grep("--file=", arguments)])
out <- file(file.path(dirname(normalizePath(script)), "..", "tests", "data", "stats-r.csv"), "w")
cat("function,options,x,y,expected\n", file = out)

written <- function(values) paste(vapply(values, function(v) format(v, digits = 15), ""), collapse = " ")
exactly <- function(values) paste(ifelse(is.na(values), "nan", sprintf("%.17g", values)), collapse = " ")
row <- function(name, options, x, y, expected) {
  cat(name, ",", options, ",", written(x), ",", written(y), ",", exactly(expected), "\n", sep = "", file = out)
}
r_side <- function(side) sub("-", ".", side)
sides <- c("two-sided", "less", "greater")

# Signed ranks with ties, counted.
for (n in rep(2:49, 6)) {
  x <- sample(0:12, n, TRUE); y <- sample(0:12, n, TRUE) + sample(0:2, 1)
  if (all(x == y)) next
  side <- sample(sides, 1)
  test <- wilcox.exact(x, y, paired = TRUE, exact = TRUE, alternative = r_side(side))
  row("wilcoxon-p", paste(side, "wilcox auto"), x, y, test$p.value)
}
# And by the normal approximation.
for (n in rep(55:120, 2)) {
  x <- sample(0:30, n, TRUE); y <- sample(0:30, n, TRUE)
  side <- sample(sides, 1)
  test <- wilcox.test(x, y, paired = TRUE, exact = FALSE, correct = TRUE, alternative = r_side(side))
  row("wilcoxon-p", paste(side, "wilcox asymptotic"), x, y, test$p.value)
}
# Rank sums with ties, counted; unequal sizes, whose tails differ. Two-sided by coin: exactRankTests compares distances from
# the expected sum without allowing for rounding, and so misses some in the other tail.
two_sided <- function(x, y) {
  group <- factor(rep(c("x", "y"), c(length(x), length(y))))
  as.numeric(pvalue(wilcox_test(c(x, y) ~ group, distribution = "exact")))
}
for (i in 1:300) {
  m <- sample(1:30, 1); n <- sample(1:30, 1)
  x <- sample(0:9, m, TRUE); y <- sample(0:9, n, TRUE) + sample(0:2, 1)
  side <- sample(sides, 1)
  test <- wilcox.exact(x, y, exact = TRUE, alternative = r_side(side))
  p <- if (side == "two-sided" && length(unique(c(x, y))) > 1) two_sided(x, y) else test$p.value
  row("mann_whitney", paste(side, "auto"), x, y, c(test$statistic, p))
}
for (i in 1:120) {
  m <- sample(2:70, 1); n <- sample(2:70, 1)
  x <- sample(0:30, m, TRUE); y <- sample(0:30, n, TRUE)
  side <- sample(sides, 1)
  test <- wilcox.test(x, y, exact = FALSE, correct = TRUE, alternative = r_side(side))
  row("mann_whitney", paste(side, "asymptotic"), x, y, c(test$statistic, test$p.value))
}
# Shifts with intervals from ranks; fewer rows than it takes give none.
for (n in rep(6:49, 3)) {
  repeat {
    x <- round(rnorm(n, 10, 2), 3); y <- round(rnorm(n, 10.5, 2), 3)
    d <- abs(x - y)
    if (length(unique(d)) == n && min(d) > 0) break
  }
  level <- sample(c(0.9, 0.95), 1)
  test <- wilcox.test(x, y, paired = TRUE, exact = TRUE, conf.int = TRUE, conf.level = level)
  row("hodges_lehmann", format(level), x, y, c(test$estimate, test$conf.int))
}
for (i in 1:120) {
  repeat {
    m <- sample(5:30, 1); n <- sample(5:30, 1)
    x <- round(rnorm(m, 10, 2), 4); y <- round(rnorm(n, 11, 2), 4)
    if (length(unique(c(x, y))) == m + n) break
  }
  level <- sample(c(0.9, 0.95), 1)
  test <- wilcox.test(x, y, exact = TRUE, conf.int = TRUE, conf.level = level)
  row("hodges_lehmann_two_sample", format(level), x, y, c(test$estimate, test$conf.int))
}
# Tables, proportions, corrections.
for (i in 1:250) {
  counts <- sample(0:sample(c(4, 25, 300), 1), 4, TRUE)
  if (sum(counts) == 0) next
  side <- sample(sides, 1)
  test <- fisher.test(matrix(counts, 2, byrow = TRUE), alternative = r_side(side), conf.int = FALSE)
  row("fisher", side, counts, c(), test$p.value)
}
for (i in 1:100) {
  n <- sample(2:2000, 1); k <- sample(0:n, 1); level <- sample(c(0.9, 0.95, 0.99), 1)
  row("wilson", format(level), c(k, n), c(), prop.test(k, n, conf.level = level, correct = FALSE)$conf.int)
}
for (m in rep(1:30, 3)) {
  p <- round(runif(m)^2, sample(1:5, 1))
  row("holm", "", p, c(), p.adjust(p, "holm"))
  row("benjamini_hochberg", "", p, c(), p.adjust(p, "BH"))
}
# Correlation, trend, regression.
for (n in c(rep(4:40, 4), 3000)) {
  x <- round(rnorm(n), sample(c(0, 1, 3), 1)); y <- round(sample(c(-1, 0, 0.5), 1) * x + rnorm(n), sample(c(0, 2, 3), 1))
  if (length(unique(x)) < 3 || length(unique(y)) < 3 || abs(cor(x, y)) > 1 - 1e-9) next
  test <- cor.test(x, y)
  row("pearson", "", x, y, c(test$estimate, test$p.value, test$conf.int))
  if (abs(cor(x, y, method = "spearman")) < 1 - 1e-9) {
    test <- cor.test(x, y, method = "spearman", exact = FALSE)
    row("spearman", "", x, y, c(test$estimate, test$p.value))
  }
  model <- lm(y ~ x); table <- summary(model)$coefficients; interval <- confint(model)
  row("lm", "", x, y, c(table[2, 1], table[1, 1], table[2, 2], table[1, 2], table[2, 4], table[1, 4],
    interval[2, ], interval[1, ], summary(model)$r.squared, summary(model)$sigma))
}
for (n in rep(5:80, 2)) {
  x <- sample(0:20, n, TRUE) + floor((1:n) / sample(c(4, 1000), 1))
  if (length(unique(x)) < 2 || length(unique(x)) == n) next
  test <- cor.test(1:n, x, method = "kendall", exact = FALSE, continuity = TRUE)
  row("drift-tau-p", "asymptotic", x, c(), c(test$estimate, test$p.value))
}
# Quantiles, all nine.
for (n in rep(1:30, 3)) {
  x <- if (runif(1) < 0.5) round(rnorm(n, 0, 10), 2) else sample(0:9, n, TRUE)
  for (p in c(0, 0.1, 0.25, 1 / 3, 0.5, 0.77, 0.9, 1)) {
    row("quantiles", sprintf("%.17g", p), x, c(), vapply(1:9, function(type) quantile(x, p, type = type, names = FALSE), 0))
  }
}
close(out)
